export function Processes() { return null; }
