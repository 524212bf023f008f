// Package emit writes a program and its configuration in the forms that somebody who programs a
// Tofino wants ([Files] writes all forms):
//
//   - [P4]: the text of the program, for the architecture T2NA;
//   - [Schema]: the bf-rt.json that the compiler will write of the program, with the numbers that
//     its rule gives to tables, actions and registers;
//   - [Entries]: a JSON list of entries by name, and [Changes], the entries that differ between two
//     configurations;
//   - [Loader]: the script that takes such lists to a switch through bfrt_grpc.client and reads
//     them back;
//   - [Script]: the same for bfrt_python, and [AddFromJSON] for its add_from_json;
//   - [WriteRequest]: the bytes of the run-time interface's protocol buffers.
//
// Everything is written in the order of the program and the configuration: the same input gives
// the same bytes.
//
// # Not verified on hardware
//
// No compiler has seen the text of a program, and no switch the scripts: they run against a stub
// that refuses what the schemas do not allow. The numbers follow the public compiler's rule and
// agree with the numbers of three files that the compiler wrote. The numbers of registers rest on
// the same rule with a prefix read in the compiler's sources. A compiled bf-rt.json is right where
// it differs ([Names.Compiled]). The meaning of the initial value of a reflected CRC is to be
// compared with a published check value on the target.
package emit
