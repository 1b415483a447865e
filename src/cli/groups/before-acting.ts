import type { Declaring } from '../declaring.ts'

/** What an agent asks before it acts. */
export function beforeActing({ command, act }: Declaring): void {
  command(
    'gate [file]',
    'whether the claims an action stands on can be substantiated now',
    `Whether the claims an action stands on can be substantiated now. The file is JSON: an array of claims ({"text",
"selfSufficient", "dependencyKey"}), or {"session", "action", "claims"}, with "summary" and a key in the place of
"claims" for all claims of a summary; - reads it from stdin. Every key is read at this moment, down to spans, and each
claim is compared with what is found. Answers 0 when every claim is substantiated, 6 when one is not. Each gate is
written down.

With --recheck, the cursor of a gate of the session, says whether that gate still holds: right before the action.`,
    `spanstore gate claims.json --session agent-7 --action 'drop the old tables'
echo '[{"text": "The window is Thursday. [[01KBADQ7XF8K2M4N6P8R0T2V4W]]"}]' | spanstore gate - --json
spanstore gate --session agent-7 --recheck c1.01KBADQ7XF8K2M4N6P8R0T2V4W5`,
  )
    .option('--session <name>', 'whose claims they are (default: what the file says, or cli)')
    .option('--action <name>', 'what is about to be done, for the log')
    .option(
      '--allow-unverified',
      'let claims pass that nothing contradicts, though their source is not known',
    )
    .option('--allow-beside-keys', "let keys count that are not printed in the claim's own text")
    .option('--recheck <cursor>', 'whether an earlier gate still holds')
    .action(act(() => import('../commands/gate.ts')))
  command(
    'boundary <session>',
    'whether a session may compact, and why not',
    `Reads the five signals of a session, as they stand over its last cycles, and decides: proceed, freeze, or freeze and
discard the last epoch. Answers 0, 6 or 8; 5 where no such session was ever seen. Only looks, unless --freeze: then the
reading is kept, and a session whose boundary is crossed is frozen, which nothing but a reconcile pass ends.`,
    `spanstore boundary agent-7
spanstore boundary agent-7 --freeze --json
spanstore boundary agent-7 --plot signals.svg`,
  )
    .option('--freeze', 'keep the reading, and freeze the session when the decision says so')
    .option('--plot <file>', 'draw the readings that were kept, over cycles, as SVG')
    .action(act(() => import('../commands/boundary.ts')))
  command(
    'check-anchors <file>',
    'whether a summary, alone, leads back to what it leaves out',
    `Whether a summary, alone, leads back to what it leaves out: every key it prints is tried, and counted against
words such as "etc." and "as noted". Reads a text; - reads stdin. Answers 0 when it holds, 6 when not.`,
    `spanstore check-anchors summary.md
spanstore check-anchors summary.md --min-density 0.8 --language de --json`,
  )
    .option('--min-density <number>', 'anchors among anchors and elisions, from 0 to 1', '0.5')
    .option('--language <code...>', 'whose elision marks count: en, de (default: both)')
    .action(act(() => import('../commands/check-anchors.ts')))
  command(
    'fidelity',
    'whether a claim says what its source says',
    `Whether a claim says what its source says: polarity, quantifiers, conditions, numbers, names; by rules alone,
offline. Needs no store. Answers 0 for faithful, 6 for unfaithful, 7 where the rules cannot tell.`,
    `spanstore fidelity --source "Pencil in Thursday, but keep a rollback ready." --claim "Thursday is confirmed."
spanstore fidelity --source "$(cat span.txt)" --claim "$(cat claim.txt)" --json`,
  )
    .requiredOption('--source <text>', 'the text the claim is about')
    .requiredOption('--claim <text>', 'what is said about it')
    .option('--context <text>', 'what was said before; it may tell what a pronoun stands for')
    .action(act(() => import('../commands/fidelity.ts')))
}
