// Package kit is for embedders of the protocols: simulators, software switches, test benches. It
// has a packet [Store], a [Driver] that turns hooks into transmissions, and the contract of package
// sluice as interfaces, so that one program drives any protocol:
//
//	machine, err := pfc.New(config)                        // or bfc.New, or pyrrha.New, ...
//	driver := kit.NewDriver(kit.Wrap(machine), store, output)
//
// Nothing here is needed to embed a protocol: the hooks of its concrete types are faster by a few
// nanoseconds each, and the contract is in the documentation of package sluice.
//
// Package kit/conformance is the suite that every protocol passes; a protocol of your own can pass
// it too. Package kit/strict checks an embedder, in its tests. Package kit/explore visits every
// state of a small network of machines. Package kit/hybrid is Pyrrha over PFC. Package kit/network
// simulates a network of any protocol for a program with events of its own.
package kit
