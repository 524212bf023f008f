package pyrrha

// filter is one cache line that tells most hops which are no root with an IQ at a port from those
// that may be one: a bit for each of 512 hash values (Bloom: Space/time trade-offs in hash coding
// with allowable errors, 1970, with one hash). With 32 roots one hop in 16 is looked up in vain.
type filter [8]uint64

func (f *filter) bit(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 55 }

func (f *filter) add(key uint64) {
	i := f.bit(key)
	f[i>>6] |= 1 << (i & 63)
}

// has reports whether a key may have been added.
func (f *filter) has(key uint64) bool {
	i := f.bit(key)
	return f[i>>6]>>(i&63)&1 != 0
}

func (p *Port) isolate(r int) {
	k := &p.owner.roots[r]
	p.roots.Add(r)
	p.filter.add(k.hop.Key())
	p.isolated++
	p.era++
	k.iqs++
	k.egress.Add(int(p.id))
}

// release notes that root r has none any more. Linear in the roots that have.
func (p *Port) release(r int) {
	k := &p.owner.roots[r]
	p.roots.Remove(r)
	p.setFar(r, false)
	p.filter = filter{}
	for other := p.roots.Next(0); other >= 0; other = p.roots.Next(other + 1) {
		p.filter.add(p.owner.roots[other].hop.Key())
	}
	p.isolated--
	p.era++
	k.iqs--
	k.egress.Remove(int(p.id))
}
