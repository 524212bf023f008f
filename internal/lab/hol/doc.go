// Package hol answers two questions about a flow-control protocol: can it make a flow wait for a
// congested port that the flow does not pass (head-of-line blocking), and can its waits close a
// circle (deadlock).
//
// It is section VI, and the deadlock argument of section VII, of Analysis of Pyrrha:
// Congestion-Root-Based Flow Control Is Most Cost-Effective to Eliminate Head-of-Line Blocking
// (IEEE Transactions on Networking, 2026).
//
// A [Scenario] is the paper's S: flows with their routes, and the ports that are congested. A
// [Strategy] gives each flow its queues at each port: [PFC], [PerFlow], [BFCDynamic], [PyrrhaHIQ],
// [PyrrhaSingleTier], [PortFC], [OFC], or others by way of [OneTier]. The [Assignment] it makes is
// the bipartite graph of flows and queues (Definition 1), and answers:
//
//   - Paused, PausedFlows: which queues and flows a congested port can pause (Definitions 4 to 6).
//   - Blocked, Spread: which flow waits innocently, for which port, in which queue, and why
//     (Definition 7).
//   - CountAt, Total: how many queues that takes (Theorem 2).
//   - Waits: which queue can wait for which, as a [WaitGraph], where a circle is a deadlock.
//
// A running simulation asks this of its real queues: a WaitGraph filled with the queues that
// are paused now.
//
// Nothing here is fast or free of allocation; it is for tests, reports and the curious.
//
// # Deviations
//
// Congested flows. Definition 3 takes the flows of a congested queue, and section VI-C takes a
// port's output queue, the OQ, as Pyrrha's only congested queue. With one tier of isolation queues,
// a flow that goes on to another root waits in an isolation queue at the nearer root and never in
// the OQ there; read to the letter, the nearer root would not pause it, and two queues of Theorem 2
// could be merged without harm. The proof of Lemma 2 (equation 22) takes the flows of all queues of
// the congested port instead, and section VI-A says that congested ports and flows are given
// beforehand. So do we: every flow through a congested port is congested there, whatever the
// protocol.
//
// Definition 7 excuses a flow that passes the congested port anywhere. Between flows whose routes
// go round (Figure 13), a flow can be paused by a port it has already left behind, and the proof of
// Lemma 2 fails there. We call a flow innocent if the port is not ahead of it, and mark what the
// definition would excuse with [Witness].Passed. Up-down routes do not have such flows.
//
// Definition 5 has a congested port pause only the queues that its own flows pass. A paused PFC
// queue fills and pauses the queues that feed it, for flows that never come near the congested
// port.
// Whether there is blocking does not depend on that, who is blocked does: Blocked follows the
// definition, Spread the pauses.
//
// Hierarchical isolation queues. The paper proves its theorems for one tier and leaves the
// hierarchy for future work. Here a flow of [PyrrhaHIQ] passes an isolation queue for each root
// ahead and then the OQ, and each of these queues waits for its own root only. Theorem 1 holds for
// it. Theorem 2 does not hold of a given scenario: if the same flows pass two roots, the hierarchy
// keeps two queues where one would do, and a single tier keeps one. It holds over all scenarios:
// some flow of the network can part the two. The remark that the hierarchy "will use fewer queues"
// is true of the worst case (a sum over levels against a product), not of every case.
//
// Deadlock. Section VII says that every chain of Pyrrha's waits ends at an OQ, which never waits.
// That is so if every route is a shortest path (each wait brings the root nearer), and on up-down
// routes. On other routes the flows of one root can wait for one another in a ring of isolation
// queues of that root; the rule that a port ignores its own root does not prevent it, nor does it
// in a loop that leaves a switch by another port in the end.
package hol
