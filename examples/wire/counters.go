package main

import (
	"github.com/sluicefc/sluice"
)

// portCounters is what happened at a port. What a protocol counts is in its machine's counters.
// Received is the sum of Control, Forwarded, Delivered and Refused.
type portCounters struct {
	Received  uint64
	Control   uint64 // handed to the machine
	Forwarded uint64 // handed to an egress port
	Delivered uint64 // to this host
	Refused   [numRefusals]uint64

	Sent       uint64
	Dropped    [sluice.NumReasons]uint64 // packets that wanted to leave here
	Unsent     uint64                    // frames that the kernel refused
	Lost       uint64                    // frames that the kernel had no room for
	Severed    uint64                    // frames sent to an end that was down
	Downs, Ups uint64                    // of the link
}

// refusal is why a frame that came in went no further.
type refusal uint8

const (
	tooShort  refusal = iota // for an Ethernet header
	tooLong                  // for the buffer
	foreign                  // no IPv4, or under BFC no shim
	badHeader                // of IPv4 or UDP
	noRoute                  // to its address but the way it came
	noBuffer                 // the store is full, or its port holds half of it
	deadLink                 // of the egress
	numRefusals
)

var refusalNames = [numRefusals]string{
	"too short", "too long", "foreign", "bad header", "no route", "no buffer", "dead link",
}

func (r refusal) String() string { return refusalNames[r] }

func total(counts []uint64) (sum uint64) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// vanished counts what left the network and was not delivered.
func (c *portCounters) vanished() uint64 {
	return total(c.Dropped[:]) + total(c.Refused[:]) + c.Unsent + c.Lost + c.Severed
}
