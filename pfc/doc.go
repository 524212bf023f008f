// Package pfc is priority-based flow control: IEEE 802.1Qbb as a shared-buffer switch does it, and
// the classic PAUSE of IEEE 802.3x.
//
// A [Switch] accounts every packet of a lossless class to the port it came in by. When an (ingress,
// class) holds more than its threshold, the peer at that port is told to stop sending that class; what is
// still on the way goes into headroom set apart for it. When enough has left, the peer is told to go on.
// Packets of the other classes are dropped where the buffer is full. Each egress has a queue per class:
// QueueID i is class i.
//
// # Accounting
//
// The buffer is reserves and headrooms, set apart for each lossless (ingress, class), and a pool that all
// share. An account fills its reserve, then takes from the pool while that leaves it at or below its
// threshold T, then fills its headroom. T is Alpha times what is free of the pool, or constant. A pause
// goes out when headroom is in use or what is taken of the pool is at least T, a resume when no
// headroom is in use and what is taken has come down to T less the resume offset. T is
// evaluated anew at each test; a pause is decided at an arrival, a resume at a departure, of that
// account. The rules are those of the ns-3 codes of HPCC and Pyrrha, see [PortConfig].
//
// # Pauses
//
// A pause lasts for a time in quanta of 512 bit times at the port's rate, and then expires. The
// switch sends it anew when a third of that time has passed, so that a lost frame costs nothing. A frame
// speaks of every class that is paused at that moment, and of those resumed since the last one. Frames
// received load the timer of each class they enable, whatever it was, 0 meaning "send".
//
// # Deployment
//
// A host's network card is a Switch of one port, see [HostConfig], whose packets have the ingress [sluice.Local]:
// they are queued, scheduled, marked and held back, but not accounted, since their memory is the
// host's. A Config without lossless classes is an ordinary lossy switch. [Headroom] says how much headroom
// keeps a port from losing packets; [Watchdog] keeps a peer that pauses for ever from stopping the
// network.
//
// # Deviations
//
//   - The ns-3 codes compute in unsigned 32 bits, so that reserves and headrooms beyond the buffer wrap
//     to a huge threshold. Here all is signed, and New refuses such a configuration.
//   - They set apart reserve and headroom for one class of each port. Here it is for every lossless
//     class, unless Config.ReservedClasses says otherwise.
//   - They pause an account that is within its reserve where T is 0, and drop a packet that fits the reserve where
//     the headroom is full and T is less than the packet. Here the reserve is the account's own: it is paused when
//     the reserve is full and T is 0, and what fits the reserve is taken.
//   - They let an account with alpha above 1, or a constant threshold, take more of the pool than there is. Here
//     such a packet goes to the headroom, as if above T. With alpha up to 1 it makes no difference.
//   - They pause without a timer. IEEE 802.1Q has one; it is kept, with a refresh at a third of it: the customary half
//     leaves no margin for a frame that is lost.
//   - They have lossy classes, but no limit on them (the control queue). Here lossy classes draw on the pool and are
//     limited by it and, if wanted, by a dynamic threshold on the egress queue.
//   - A packet dropped for want of headroom does not itself cause a pause, as in those codes: the pause
//     went out when the headroom was first used. A configuration with less headroom than a packet can
//     therefore lose packets before it pauses.
//   - IEEE 802.3 lets a receiver ignore reserved octets. [Frame.Parse] refuses a frame in which the high
//     octet of the class-enable vector or the padding is not zero, and one that is not addressed to 01-80-C2-00-00-01:
//     a classic PAUSE to the station's own address is legal and rare.
//   - The headroom formula in common use counts neither the pause frame's own time nor the packet that crosses the
//     threshold. [AnnexHeadroom] is that formula, [Headroom] is what this accounting needs.
//   - SONiC polls its watchdog in real time and by its own clock. Here a poll is a timer; detection and
//     restoration count polls of the configured period, as its scripts do. Its script for Broadcom tests that no
//     transition counter moved between two samples; here that is: the pause did not end in between.
package pfc
