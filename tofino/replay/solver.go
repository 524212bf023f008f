package replay

// solver inverts the linear part of a one-to-one affine function of bits over GF(2).
type solver struct{ octets [8][256]uint64 }

// newSolver inverts a function by elimination; its width in bits is a multiple of eight.
func newSolver(bits int, of func(uint64) uint64) *solver {
	rows := make([]struct{ value, input uint64 }, bits)
	zero := of(0)
	for bit := range rows {
		rows[bit].value, rows[bit].input = of(1<<bit)^zero, 1<<bit
	}
	for bit := range rows {
		for at := bit; rows[bit].value>>bit&1 == 0; at++ {
			rows[bit], rows[at] = rows[at], rows[bit]
		}
		for at := range rows {
			if at != bit && rows[at].value>>bit&1 != 0 {
				rows[at].value ^= rows[bit].value
				rows[at].input ^= rows[bit].input
			}
		}
	}
	s := &solver{}
	for octet := range bits / 8 {
		for value := range s.octets[octet] {
			for bit := range 8 {
				if value>>bit&1 != 0 {
					s.octets[octet][value] ^= rows[8*octet+bit].input
				}
			}
		}
	}
	return s
}

// input returns the input whose value differs from the value of zero by so much.
func (s *solver) input(difference uint64) (input uint64) {
	for octet := range s.octets {
		input ^= s.octets[octet][byte(difference>>(8*octet))]
	}
	return input
}
