export function SequenceView() { return null; }
