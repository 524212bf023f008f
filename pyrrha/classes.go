package pyrrha

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// classQueues are the queues of the classes that are not under Pyrrha: strict priority, never held.
type classQueues struct {
	count int
	first sluice.QueueID
	top   sluice.ClassSet // the classes above the highest under Pyrrha
	ready sluice.ClassSet // classes with packets

	queueOf [sluice.Classes]sluice.QueueID
	classOf [sluice.Classes]sluice.Class // by queue, from first
	bytes   [sluice.Classes]sluice.Bytes
	packets [sluice.Classes]int32
}

func (c *classQueues) init(under sluice.ClassSet, first int) {
	c.first = sluice.QueueID(first)
	c.top = ^sluice.ClassSet(1<<bits.Len8(uint8(under)) - 1)
	for class := range sluice.Class(sluice.Classes) {
		if !under.Has(class) {
			c.classOf[c.count] = class
			c.queueOf[class] = c.first + sluice.QueueID(c.count)
			c.count++
		}
	}
}

func (c *classQueues) put(class sluice.Class, size sluice.Bytes) sluice.QueueID {
	c.bytes[class] += size
	c.packets[class]++
	c.ready |= 1 << class
	return c.queueOf[class]
}

func (c *classQueues) take(q sluice.QueueID, size sluice.Bytes) bool {
	if !c.exists(q) {
		return false
	}
	class := c.classOf[q-c.first]
	left, last := c.bytes[class]-size, c.packets[class] == 1
	if size <= 0 || left < 0 || last != (left == 0) {
		return false
	}
	c.bytes[class] = left
	c.packets[class]--
	if last {
		c.ready &^= 1 << class
	}
	return true
}

func (c *classQueues) above() (sluice.QueueID, bool) { return c.highest(c.ready & c.top) }

func (c *classQueues) below() (sluice.QueueID, bool) { return c.highest(c.ready &^ c.top) }

func (c *classQueues) highest(set sluice.ClassSet) (sluice.QueueID, bool) {
	if set == 0 {
		return 0, false
	}
	return c.queueOf[bits.Len8(uint8(set))-1], true
}

func (c *classQueues) exists(q sluice.QueueID) bool {
	return int(q-c.first) < c.count // a lesser q wraps
}

func (c *classQueues) backlog(q sluice.QueueID) sluice.Bytes {
	if !c.exists(q) {
		return 0
	}
	return c.bytes[c.classOf[q-c.first]]
}
