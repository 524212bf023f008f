package check

import (
	"fmt"

	"github.com/sluicefc/sluice/tofino/ir"
)

// extracted is a field that a parser took from a packet.
type extracted struct {
	header, name string
	offset       int // in bits
	value        ir.Value
}

// mostStates bounds how many states a parser goes through.
const mostStates = 64

// parse runs the parser of ingress on a packet from a front port. It returns the fields of the
// packet in their order and whether the parser accepts it, or a rule that the parser breaks.
func (p *program) parse(octets []byte) (fields []extracted, accepted bool, rule string) {
	r := &run{octets: octets, values: map[*ir.Field]ir.Value{ir.IngressPort: ir.Uint(8)}}
	state := p.Parse[ir.Ingress]
	for range mostStates {
		if state == nil {
			return r.fields, true, ""
		}
		if rule := r.take(state); rule != "" {
			return nil, false, rule
		}
		next, refused, rule := r.next(state)
		if refused || rule != "" {
			return nil, false, rule
		}
		state = next
	}
	return nil, false, "the parser does not end"
}

// run is a packet on its way through a parser.
type run struct {
	octets []byte
	taken  int // bits
	values map[*ir.Field]ir.Value
	fields []extracted
}

// take takes the headers of a state.
func (r *run) take(s *ir.State) (rule string) {
	for _, header := range s.Extract {
		for _, field := range header.Fields {
			if r.taken+field.Bits > 8*len(r.octets) {
				return fmt.Sprintf("hdr.%s is longer than the frame of %d octets", header.Name,
					len(r.octets))
			}
			value := r.bits(field.Bits)
			r.fields = append(r.fields, extracted{header.Name, field.Name, r.taken, value})
			r.values[field] = value
			r.taken += field.Bits
		}
	}
	r.taken += 8 * s.Skip
	return ""
}

// bits returns the next bits of the packet; bits after its end are zeros.
func (r *run) bits(width int) (value ir.Value) {
	for at := r.taken; at < r.taken+width; at++ {
		value = ir.Value{Hi: value.Hi<<1 | value.Lo>>63, Lo: value.Lo << 1}
		if at/8 < len(r.octets) {
			value.Lo |= uint64(r.octets[at/8] >> (7 - at%8) & 1)
		}
	}
	return value
}

// next returns the state that follows.
func (r *run) next(s *ir.State) (next *ir.State, refused bool, rule string) {
	if s.Select != nil {
		value, known := r.value(s.Select)
		if !known {
			return nil, false, "the parser selects by what no header on the way has"
		}
		for _, one := range s.Cases {
			if (value.Hi^one.Value.Hi)&one.Mask.Hi|(value.Lo^one.Value.Lo)&one.Mask.Lo == 0 {
				return one.Next, false, ""
			}
		}
	}
	return s.Default, s.Default == nil && s.Refuse, ""
}

// value returns the value by which a state selects.
func (r *run) value(x ir.Expr) (ir.Value, bool) {
	switch x := x.(type) {
	case *ir.Field:
		value, known := r.values[x]
		return value, known
	case ir.Peek:
		return r.bits(int(x)), true
	case ir.Slice:
		value, known := r.value(x.X)
		for range x.Low {
			value = ir.Value{Hi: value.Hi >> 1, Lo: value.Lo>>1 | value.Hi<<63}
		}
		mask := ir.Mask(x.Width())
		return ir.Value{Hi: value.Hi & mask.Hi, Lo: value.Lo & mask.Lo}, known
	}
	return ir.Value{}, false
}
