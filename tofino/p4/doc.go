// Package p4 reads a program in P4_16 for the architecture T2NA into the form of package ir. The
// text is the program: an engineer edits and compiles it, and this package reads the same files,
// with the C preprocessor. It reads a subset, which is what the programs of this module need, and
// refuses what it does not know; it does not take the place of the compiler, which checks types and
// finds out whether a program fits.
//
// Outside of parsers and controls: const, typedef, header, struct, Register, Pipeline, Switch. The
// pipeline has the parts IngressParser, Ingress, IngressDeparser, EgressParser, Egress,
// EgressDeparser and, if there is one, Ghost. A register outside of controls is shared by ghost and
// ingress.
//
// Parsers: extract, advance, lookahead, select with masks, transition. State start takes the
// intrinsic metadata first. Metadata begins with zeros: the structure has the annotation
// @pa_auto_init_metadata, or start assigns them.
//
// Controls: actions, tables with key, actions, default_action and size, registers with register
// actions, Hash with CRCPolynomial, and apply, which calls actions without parameters, applies
// tables (and asks for hit, miss or action_run) and branches. A key has @name. Statements of an
// action happen at once: no statement reads what another writes.
//
// A register action compares halves of the element, a packet's fields and constants, at most four
// times, and gives halves and results values under these conditions. It reads the element as it
// was; results may also read a half after its last change. A local copy of the element is the
// element as it was. A result may be this.predicate of all comparisons, before all conditions: one
// bit, whose number says which of them held.
//
// Deparsers: Mirror instances, chosen by mirror_type, with all fields of a header; then all
// headers, in the order of their structure. A mirror copies what came in unless the actions that
// choose it set mirror_io_select.
//
// Constants are folded. A number without a width takes the width of its neighbour.
package p4
