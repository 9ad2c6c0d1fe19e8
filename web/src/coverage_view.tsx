export function Coverage() { return null; }
