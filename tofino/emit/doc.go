// Package emit writes a program and its configuration in the forms that programmers of a Tofino use
// ([Files] writes all forms):
//
//   - the text of the program, in P4 for the architecture T2NA, as it was read;
//   - [Entries]: a JSON list of entries by name, and [Changes], the entries that differ between two
//     configurations;
//   - [Loader]: the script that takes such lists to a switch through bfrt_grpc.client and reads
//     them back;
//   - [Script]: the same for bfrt_python, and [AddFromJSON] for its add_from_json;
//   - [WriteRequest]: the bytes of the run-time interface's protocol buffers, with the numbers of
//     the bf-rt.json that the compiler wrote ([RequestFiles]): all else has names alone.
//
// Everything is written in the order of the program and the configuration: the same input gives
// the same bytes.
//
// # Not verified on hardware
//
// No switch has seen the scripts: they run against a stub that refuses what the program does not
// declare. The meaning of the initial value of a reflected CRC is to be compared with a published
// check value on the target.
package emit
