package pfc

import "github.com/sluicefc/sluice"

// Next returns the queue whose head goes next: of the queues that hold packets and are not held by a
// pause, by strict priority among the groups and deficit round robin within one. Queues that the watchdog
// discards come before all, since they take no time on the wire. Asked again before an input,
// it answers the same. A pause that has run out holds until Expire: the time is not looked at. O(1).
func (p *Port) Next(sluice.Time) (sluice.QueueID, bool) {
	if doomed := p.backlog & p.discard; doomed != 0 {
		return sluice.QueueID(highest(doomed)), true
	}
	eligible := p.backlog &^ p.blocked
	if eligible == 0 {
		return 0, false
	}
	if p.owner.strict {
		return sluice.QueueID(highest(eligible)), true
	}
	return sluice.QueueID(p.nextOfGroups(eligible)), true
}

// nextOfGroups picks from a set that is not empty.
func (p *Port) nextOfGroups(eligible sluice.ClassSet) sluice.Class {
	for i, group := range p.owner.groups {
		if members := eligible & group; members != 0 {
			if group&(group-1) == 0 {
				return lowest(group)
			}
			return p.roundRobin(&p.current[i], members)
		}
	}
	return highest(eligible) // not reached: groups cover all classes
}

// roundRobin is one decision of deficit round robin among the classes of a set that is not
// empty. A class is charged when its packet has gone, so the length of the head is not needed; its
// deficit may go negative by less than a packet.
//
// It decides as internal/drr does, to the packet. That keeps who is eligible a second time, which would
// cost a third more for every packet here, and it walks the rounds of a debt one by one.
func (p *Port) roundRobin(current *sluice.Class, eligible sluice.ClassSet) sluice.Class {
	c := *current
	if eligible>>c&1 != 0 && p.deficit[c] > 0 {
		return c
	}
	for visits := 0; ; visits++ {
		if visits == sluice.Classes {
			p.skipRounds(eligible)
		}
		c = after(eligible, c)
		p.deficit[c] = min(p.deficit[c], 0) + p.owner.quantum[c]
		if p.deficit[c] > 0 {
			*current = c
			return c
		}
	}
}

// skipRounds gives every class of a set the quanta of the rounds in which none of them comes out of
// debt, all at once: packets far larger than a quantum cost no more than others.
func (p *Port) skipRounds(eligible sluice.ClassSet) {
	rounds := int64(1<<63 - 1)
	for rest := eligible; rest != 0; rest &= rest - 1 {
		c := lowest(rest)
		rounds = min(rounds, -p.deficit[c]/p.owner.quantum[c])
	}
	for rest := eligible; rest != 0; rest &= rest - 1 {
		c := lowest(rest)
		p.deficit[c] += rounds * p.owner.quantum[c]
	}
}

// charge accounts n bytes sent of a class. A class whose queue is empty forfeits what it did not
// use.
func (p *Port) charge(class sluice.Class, n int64) {
	p.deficit[class] -= n
	if p.queues[class].bytes == 0 {
		p.deficit[class] = min(p.deficit[class], 0)
	}
}
