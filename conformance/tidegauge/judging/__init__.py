"""From transcripts to verdicts: `reference`, `changes`, `items`, `diagnosis`, `jobs`, `verdicts`, each
built on those before it."""
