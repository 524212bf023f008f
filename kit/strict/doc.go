// Package strict checks the embedder of a machine, in its tests: a machine of this package makes
// the decisions of the machine within it, and notes every call that breaks the contract of package
// sluice.
//
//	driver, checks := strict.NewDriver(machine, store, output)
//	// ... the test drives it as usual ...
//	if err := checks.Done(now); err != nil {
//		t.Fatal(err)
//	}
//
// An embedder without a [kit.Driver] makes the same calls to [New]. What is checked:
//
//   - time does not go back, and Expire is called when the deadline is reached,
//   - a port is asked for a frame before it is asked for a packet, and every port that a wake names
//     is asked at all,
//   - Ingress names a port or is Local, and is not one constant that packets leave by too,
//   - a Path begins with the port of Enqueue,
//   - the packet of Dequeue is the head of the queue that Next named, with the fields that Enqueue
//     saw,
//   - the bytes of a frame are not kept: they are overwritten when SendFrame returns,
//   - at the end nothing waits, nothing is held, and no packet lacked a field that the protocol
//     needs; what is left is named with the likely mistake.
//
// It allocates, and takes a multiple of the machine's time.
package strict
