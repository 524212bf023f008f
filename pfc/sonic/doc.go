// Package sonic reads and writes the configuration of switches that run SONiC, as far as it is
// about priority-based flow control and the buffer.
//
// [Parse] reads a config_db.json; [DB.Import] makes a [pfc.Config] of it, and says by table, key
// and field what it cannot carry over; [DB.Update] writes a configuration back into the tables.
// Tables and fields that this package does not know pass through unchanged. [ParseLookup] and
// [Lookup.WriteTo] are for pg_profile_lookup.ini, the headrooms by speed and cable.
//
// [Chip] has the figures of a switch chip, and computes headroom twice: to the byte, and by the
// formula of SONiC's dynamic buffer model.
//
// # Where the two models differ
//
//   - A BUFFER_POOL of type ingress is a pool of pfc, and its size what profiles share beyond their
//     own sizes: Config.Buffer is the sum of both. The pool of most lossless profiles is pool 0.
//   - Egress pools and profiles limit lossless packets here nowhere: they are noted as left, but
//     for the dynamic_th and size of lossy queues, which pfc has one of per port.
//   - A class, its queue and its priority group have one number here. Maps that say otherwise for a
//     lossless class are noted.
//   - An xon_offset that is absent is 0: a resume goes out at the threshold.
package sonic
