// Package pfc is priority-based flow control: IEEE 802.1Qbb in a shared-buffer switch, and the
// classic PAUSE of IEEE 802.3x.
//
// A [Switch] accounts every packet of a lossless class to the port it came in by. When an (ingress,
// class) holds more than its threshold, it pauses that class at the port's peer; packets still on
// the way go into headroom set apart for it. When enough has left, it resumes the class. Packets of
// the other classes are dropped where the buffer is full. Each egress has a queue per class:
// QueueID i is class i, unless PortConfig.QoS has maps.
//
// # Accounting
//
// The buffer is reserves and headrooms, set apart for each lossless (ingress, class), and shared
// pools. An account fills its reserve, then takes from its pool while that leaves it at or below
// its threshold T, then fills its headroom. T is Alpha times the free bytes of the pool, or
// constant. A pause goes out when headroom is in use, or when the reserve is full and the account
// has at least T of the pool. A resume goes out when no headroom is in use and the account's part
// of the pool has come down to T less the resume offset, or the account to its floor. T is
// evaluated anew at each test; a pause is decided at an arrival, a resume at a departure, of that
// account, and both in Reconfigure. The rules come from the ns-3 codes of HPCC and Pyrrha, see
// [Profile].
//
// # Pauses
//
// A pause lasts for a time in quanta of 512 bit times at the port's rate, and then expires. The
// switch sends it anew when a third of that time has passed, so that one lost frame costs nothing.
// A frame names every class that is paused when it is polled, and every class resumed since the
// last frame: at most one frame waits at a port. Frames received load the timer of each class they
// enable, whatever it was; 0 means "send".
//
// # Deployment
//
// A host's network card is a Switch of one port, see [HostConfig], whose packets have the ingress
// [sluice.Local]: they are queued, scheduled, marked and held back, but not accounted, because
// their memory is the host's. A Config without lossless classes is an ordinary lossy switch.
// [Config.Retag] changes classes on the way, so that no circle of waiting queues can close: a class
// for each queue that a packet passes. [PortConfig.HeadroomFor] returns the headroom that keeps a
// port from losing packets, and [Config.Shortages] the ports that have less; [Watchdog] keeps a
// peer that pauses for ever from stopping the network.
//
// # What operators know
//
// The names of SONiC's configuration and commands, and of IEEE 802.1Q and 802.3:
//
//	there                               here                             default
//	----------------------------------  -------------------------------  ----------------------------
//	pfc_enable (PORT_QOS_MAP)           Config.Classes,                  all classes,
//	                                    PortConfig.Classes               as the switch
//	asymmetric PFC                      PortConfig.Obeys, Sends          as PortConfig.Classes
//	PFC or PAUSE (802.3 31B, 31D)       PortConfig.Mode                  PriorityPause
//	BUFFER_PROFILE                      Profile                          -
//	BUFFER_PG (port|priority)           PortConfig.Profile, Profiles     one for all classes
//	  dynamic_th (2^n)                  Profile.Alpha                    needed, or XOff
//	  static_th                         Profile.XOff, XOn                needed, or Alpha
//	  size                              Profile.Reserve, and Headroom    0
//	  xoff                              Profile.Headroom                 0: see HeadroomFor
//	  xon_offset                        Profile.ResumeOffset             3 KiB
//	  xon                               Profile.XOnFloor                 0
//	  pool                              Profile.Pool                     0
//	BUFFER_POOL                         Config.Buffer, Pools             no limit, none
//	  xoff (shared headroom pool)       Config.HeadroomPool              0: headrooms of their own
//	ingress_lossy_pool                  Config.LossyPool                 0
//	BUFFER_QUEUE, dynamic_th            PortConfig.LossyAlpha            1 beside lossless classes
//	BUFFER_QUEUE, size                  PortConfig.LossyReserve          0
//	cell size (SAI)                     Config.CellSize                  bytes
//	CABLE_LENGTH                        Link.Delay, with Cable           0
//	interface delay (802.1Q annex)      PortConfig.Pipeline, PHY         0
//	port MTU, preamble and gap          PortConfig.MTU, Overhead         the lossless MTU, 0
//	peer response time                  PortConfig.Reaction              as IEEE 802.3
//	WRED_PROFILE, ecn alone             PortConfig.ECN                   off
//	SCHEDULER (STRICT, DWRR)            Config.Groups, PortConfig's      strict priority
//	maps, limits, colours, shapers      PortConfig.QoS: see package qos  off
//	DSCP_TO_TC_MAP, DOT1P_TO_TC_MAP     DSCPMap, PCPMap                  -
//	PFC_WD: detection, restoration      Watchdog.Detection, Restoration  off, twice Detection
//	PFC_WD: POLL_INTERVAL, action       Watchdog.Poll, Action            200 ms, drop
//	PFC_WD of a port, pfcwd_sw_enable   PortConfig.Watchdog, Classes     as Config.Watchdog
//	BIG_RED_SWITCH                      Switch.BigRedSwitch              off
//	pfcwd show stats                    ClassCounters.Storms, Storm,     -
//	                                    LastStorm, PollStorm
//	pfcstat                             ClassCounters.PausesSent, ...    -
//	queue and priority-group counters   ClassCounters                    -
//	watermarks, and their clear         ...Peak, Switch.ClearPeaks       -
//	watermarks of pools, shared parts   Config.Watermarks                off
//	config at runtime                   Switch.Reconfigure               -
//	warm restart                        Switch.Snapshot, Restore         -
//	pause time, its refresh             PortConfig.Pause                 65,535 quanta, at a third
//
// # Variants
//
// Config.Trigger, of [trigger.Kind], makes another decision when to pause: caPFC and P-PFC look at
// egress queues too, P-PFC by its own abstract at the derivative, GFC lowers the upstream's rate in
// stages, G-PFC pauses low classes first. Little of them is public: each says what is, and what is
// ours. An ingress with a trigger other than PFC's goes a slower way through Enqueue and Dequeue,
// O(1) all the same.
//
// # Deviations
//
//   - The ns-3 codes compute in unsigned 32 bits, so that reserves and headrooms beyond the buffer
//     wrap to a huge threshold. Here all is signed, and New refuses such a configuration.
//   - They set apart reserve and headroom for one class of each port. Here it is for every lossless
//     class, unless Config.ReservedClasses says otherwise.
//   - Where T is 0 they pause an account that is within its reserve, and where the headroom is full
//     and T is less than a packet they drop the packet, though it fits the reserve. Here the
//     reserve is the account's own: it is paused when the reserve is full and T is 0, and what fits
//     the reserve is taken.
//   - They let an account with alpha above 1, or a constant threshold, take more of the pool than
//     there is. Here such a packet goes to the headroom, as if above T. With alpha up to 1 it makes
//     no difference.
//   - They pause without a timer. IEEE 802.1Q has a timer; it is kept, with a refresh at a third of
//     it: the customary half leaves no margin for a frame that is lost.
//   - They have lossy classes, but no limit on them (the control queue). Here lossy classes draw on
//     a pool and are limited by it and by a dynamic threshold on the egress queue.
//   - A packet dropped because headroom is full does not itself cause a pause, as in the ns-3
//     codes: the pause went out when the headroom was first used. A configuration with less
//     headroom than a packet can therefore lose packets before it pauses.
//   - The headroom formula in common use counts neither the pause frame's own time nor the packet
//     that crosses the threshold. HeadroomParts.Annex is that formula; [PortConfig.HeadroomFor] is
//     what this accounting needs, to the byte.
//   - SONiC's watchdog runs in real time on counters that it samples. Here a poll is a timer, and
//     the watchdog sees the pause itself: a pause that ends between two polls is no storm. Its
//     first script counts polls; newer scripts use the time elapsed and want two polls that agree:
//     see Watchdog.CountPolls and Looks.
package pfc
