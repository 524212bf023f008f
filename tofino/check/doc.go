// Package check reads the files that a switch is to be given and says what is wrong with them: the
// text of the program, its schema, the list of entries, and the lists of single tables. It shares
// the reader of P4 alone with the makers of the files, and knows nothing but the files, the chip's
// driver and the formats of this module's frames, so that a fault in the writing is seen here.
//
// It holds the files to these rules:
//
//   - Schema: every table, key, action and datum is there, kinds of match agree, values fit their
//     widths, masks and prefixes cover their values, ranges are in order and of at most 20 bits,
//     choices are respected, nothing that can only be read is written, tables are not overfull, no
//     key comes twice, priorities stand where they must, no entry hides behind a wider one of a
//     better priority, numbers are unique.
//   - Words of flow control: each decodes to the port and queue that its keys name, of a queue that
//     the carving has, in XOFF mode, in a pipe where words act, and that is neither for signals nor
//     a queue that is never to be held; no two entries have the same word, and no queue is in XOFF
//     mode without a word.
//   - Ghost: each entry's queue is carved and reports its depth, in a pipe that reports any change,
//     and has an element of the register of its own.
//   - Frames: the text parses each kind of frame of this module that it is for, and finds in every
//     field what this module's own parser does.
//
// Package p4 reads the text, as it does for a replay. The compiler decides whether the text is a
// program: this package repeats none of its checks.
//
// This package does not say that a program fits the chip, which package fit estimates, or that it
// does what its protocol does, which a replay shows.
package check
