// Package emit writes a program and its configuration in the forms that a Tofino's run-time
// interface takes:
//
//   - [Schema]: the bf-rt.json that the compiler will write of the program, with the numbers that
//     its rule gives to tables, actions and registers;
//   - [Entries]: a JSON list of entries by name, for a loader that finds the numbers at the switch;
//     of the program's own tables it is what bfrt_python's add_from_json reads;
//   - [WriteRequest]: the bytes of the run-time interface's protocol buffers.
//
// Everything is written in the order of the program and the configuration: the same input gives
// the same bytes.
//
// # Not verified on hardware
//
// The numbers follow the public compiler's rule and agree with those of three files that it wrote.
// Those of registers rest on the same rule with a prefix read in its sources. A compiled bf-rt.json
// is right where it differs.
package emit
