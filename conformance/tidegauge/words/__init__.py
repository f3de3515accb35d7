"""Results in English: the one place where verdicts, counts, statuses and reasons become words.

The terminal and every report say the same thing in the same words, because they take the words from here; a
view decides only where they stand. The modules read the results document and nothing else. The package is
part of the kit because the terminal is. The words of a single view, a comparison or the picture of a job for
example, are kept with that view.
"""
