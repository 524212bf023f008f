// Package sonic reads and writes the configuration of switches that run SONiC, as far as it is
// about priority-based flow control and the buffer.
//
// [Parse] reads a config_db.json; [DB.Import] makes a [pfc.Config] of it, and says by table, key
// and field what it cannot carry over; [DB.Update] writes a configuration back into the tables.
// Tables and fields that this package does not know pass through unchanged. [ParseLookup],
// [LookupOf] and [Lookup.WriteTo] are for pg_profile_lookup.ini, the headrooms by speed and cable.
//
// [Chip] has the figures of a switch chip, and computes headroom twice: to the byte, and by the
// formula of SONiC's dynamic buffer model.
//
// # Where the two models differ
//
//   - A BUFFER_POOL of type ingress is a pool of pfc, and its size what profiles share beyond their
//     own sizes: Config.Buffer is the sum of both. Pool 0 is ingress_lossless_pool, by that name.
//   - A priority group whose profile has no xoff is lossy: pfc holds it to the profile, and nobody
//     is paused. A lossy group without a profile shares ingress_lossy_pool, as pfc's lossy packets
//     do.
//   - A number that a map leaves out goes with itself. Of the maps of pause priorities, numbers
//     that are enabled have what the map says, and come once.
//   - A queue without a scheduler, on a port where another has one, shares by a weight of 1. A
//     weight is a quantum of so many KiB. A guaranteed rate (cir) and rates of packets are left.
//   - Packets are green: SONiC has no table here that colours them.
//   - An xon_offset that is absent is 0: a resume goes out at the threshold.
package sonic
