// Package sonic reads and writes the configuration of switches that run SONiC, as far as it is
// about priority-based flow control and the buffer.
//
// [Parse] reads a config_db.json; [DB.Import] makes a [pfc.Config] of it, and lists by table, key
// and field the settings that it cannot carry over; [DB.Faults] lists the errors of the tables.
// [DB.Update] writes the differences of a configuration into the tables, and [DB.WriteTo] the file:
// all unchanged parts keep their bytes. [DB.ChooseASIC] is for files of several ASICs.
// [ParseLookup], [LookupOf] and [Lookup.WriteTo] are for pg_profile_lookup.ini, the headrooms by
// speed and cable. SONiC makes lossless groups of them in its traditional buffer model
// ([DB.UseLookup]).
//
// [Chip] has the facts of a switch chip that are in no table, and [ChipOf] knows the chips of
// SONiC's platforms. A Chip computes headroom twice: to the byte, and by the formula of SONiC's
// dynamic buffer model.
//
// # What sizes mean
//
// Import, Update and LookupOf read and write sizes by the same rules:
//
//   - The size of a lossless profile includes xoff, unless the lossless pool has an xoff, the
//     shared headroom pool, of its own: Reserve is size-xoff, or size. A size of less than xoff
//     does not include it, which is noted.
//   - The size of the lossless pool is what groups share ([PoolShared]), or all of it
//     ([PoolTotal]), of which reserves and headrooms are taken, and on some chips the reserves of
//     egress queues.
//   - A chip may have its memory in slices, and each slice its share of every pool and of the
//     shared headroom pool. Config is then of one slice, as if all ports shared it: which
//     ports share a slice SONiC does not say. Egress pools that are static are not cut.
//   - A dynamic_th of 7 is an alpha of 64 on Nvidia's chips. On Spectrum-4 and -5 a group's alpha
//     is a share of what the port's alpha leaves.
//
// With these rules a configuration pauses and drops at the packets at which SONiC's tests see real
// switches do it: testdata/rows.txt has 35 rows of 32 switches, from Trident 2 to Tomahawk 5 and
// Spectrum-4, at 40 to 800 Gb/s. Of each number the machine is one packet away or less, or the
// file says by how many more and why, or that it is not known. Where the chip is not known, a note
// says what is assumed.
//
// # Where real switches differ
//
//   - A Spectrum drops 95 cells before its xoff is full, later ones 64 or 47, and with a shared
//     headroom pool the groups of a port take what headroom all of them have.
//   - When a switch resumes, tests only bound: by when it has sent xon_offset, and a Spectrum by
//     when it has sent all that is shared and a little of xon. Whether a Spectrum drains to xon
//     before it resumes is not known. Here the threshold rises while packets leave, so that a
//     resume goes out sooner: xon_offset/(1+alpha) bytes below.
//   - Where the alpha of a group is 64 and its port has less, SONiC's tests count the group
//     as without a limit.
//   - A Tomahawk 6 pauses 1.8 % sooner, and the Trident 3 of two T0 rows 0.2 and 0.9 % later:
//     what they take out of their pools is not known.
//
// # Where the two models differ
//
//   - A BUFFER_POOL of type ingress is a pool of pfc: Config.Buffer is what profiles share of
//     ingress_lossless_pool, which is pool 0, and what is set apart.
//   - A priority group whose profile has no xoff is lossy: pfc holds it to the profile, and it
//     pauses no peer. A lossy group without a profile shares ingress_lossy_pool, as pfc's lossy
//     packets do.
//   - A number that a map leaves out maps to itself. In the maps of pause priorities, enabled
//     numbers follow the map, and come once.
//   - A queue without a scheduler, on a port where another has one, shares by a weight of 1. A
//     weight is a quantum in KiB. A guaranteed rate (cir) and rates of packets are left.
//   - Packets are green: SONiC has no table here that colours them.
//   - An xon_offset that is absent is 0: a resume goes out at the threshold.
package sonic
