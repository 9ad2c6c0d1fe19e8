export function Explored() { return null; }
