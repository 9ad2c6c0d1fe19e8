// Commands as they are typed: words with spaces and signs in quotes.

const plain = /^[\w@%+=:,./-]+$/;

export function shell_text(command: readonly string[]): string {
  return command.map((word) => (plain.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`)).join(" ");
}
