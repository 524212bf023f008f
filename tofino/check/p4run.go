package check

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// extracted is a field that a parser took from a packet.
type extracted struct {
	header, name string
	offset       int // in bits
	value        *big.Int
}

// mostStates bounds how many states a parser goes through.
const mostStates = 64

// parse runs a parser on a packet from a front port. It returns the fields of the packet in their
// order and the end of the run: "accept", "" if the parser refuses the packet, or a rule that the
// parser breaks.
func (p *program) parse(b *block, octets []byte) ([]extracted, string) {
	r := &run{program: p, octets: octets,
		block: b, values: map[string]*big.Int{"ig_intr_md.ingress_port": big.NewInt(8)}}
	state := "start"
	for range mostStates {
		at := slices.IndexFunc(b.states, func(one *p4Part) bool { return one.name == state })
		switch {
		case state == "accept":
			return r.fields, state
		case state == "reject":
			return nil, ""
		case at < 0:
			return nil, "the parser goes on to " + state + ", which is no state"
		}
		if state = r.state(b.states[at].body); r.rule != "" {
			return nil, r.rule
		}
	}
	return nil, "the parser does not end"
}

// run is a packet on its way through a parser.
type run struct {
	program *program
	block   *block
	octets  []byte
	taken   int // bits
	values  map[string]*big.Int
	fields  []extracted
	rule    string // that is broken
}

func (r *run) state(body []token) string {
	for at := 0; at < len(body); {
		end := at + until(body[at:], ";", "{")
		switch statement := body[at:end]; {
		case len(statement) > 2 && statement[0].text == "transition" && statement[1].text == "select":
			return r.choose(statement[3:], body[end:])
		case len(statement) > 1 && statement[0].text == "transition":
			return statement[1].text
		case len(statement) > 4 && statement[2].text == "advance":
			if width, number, ok := statement[4].literal(); ok && width > 0 && number.IsInt64() {
				r.taken += int(min(number.Int64(), int64(8*len(r.octets)-r.taken)))
			}
		case len(statement) > 6 && statement[2].text == "extract" && statement[4].text == "hdr":
			r.extract(statement[6].text)
		}
		at = end + 1
	}
	return "reject" // a state without a transition
}

func (r *run) extract(name string) {
	for _, one := range r.program.structs[r.program.member(r.block, name)] {
		width := bits(one.kind)
		if r.taken+width > 8*len(r.octets) {
			r.rule = fmt.Sprintf("hdr.%s is longer than the frame of %d octets", name, len(r.octets))
			return
		}
		value := r.bits(width)
		r.fields = append(r.fields, extracted{name, one.name, r.taken, value})
		r.values["hdr."+name+"."+one.name] = value
		r.taken += width
	}
}

// bits returns the next bits of the packet; bits after its end are zeros.
func (r *run) bits(width int) *big.Int {
	value := new(big.Int)
	for at := r.taken; at < r.taken+width; at++ {
		value.Lsh(value, 1)
		if at/8 < len(r.octets) && r.octets[at/8]>>(7-at%8)&1 != 0 {
			value.SetBit(value, 0, 1)
		}
	}
	return value
}

// choose returns the state that a select by a list of tokens leads to; the cases are the rest.
func (r *run) choose(by, rest []token) string {
	value, low, high := r.value(by)
	if value == nil {
		r.rule = "the parser selects by what no header on the way has"
		return ""
	}
	if high >= 0 {
		value = new(big.Int).And(new(big.Int).Rsh(value, uint(low)), ones(high-low+1))
	}
	if len(rest) > 0 { // the bracket
		rest = rest[1:]
	}
	for one := range cut(rest[:until(rest, "}")], ";") {
		if next, is := matching(one, value); is {
			return next
		}
	}
	return "reject"
}

// matching returns the state of a case if the case matches a value.
func matching(one []token, value *big.Int) (string, bool) {
	if len(one) < 3 {
		return "", false
	}
	next := one[len(one)-1].text
	if one[0].text == "default" {
		return next, true
	}
	_, want, ok := one[0].literal()
	if !ok {
		return "", false
	}
	if len(one) > 4 && one[1].text == "&" { // &&&, a sign at a time
		if _, mask, masked := one[4].literal(); masked {
			return next, new(big.Int).And(value, mask).Cmp(want) == 0
		}
	}
	return next, value.Cmp(want) == 0
}

// value returns the value by which a state selects, and the ends of the slice of it, -1 if there is
// no slice.
func (r *run) value(list []token) (value *big.Int, low, high int) {
	low, high = -1, -1
	at := 0
	for at < len(list) && (list[at].kind == 'i' || list[at].text == ".") {
		at++
	}
	name := joined(list[:at])
	value = r.values[name]
	if strings.HasSuffix(name, ".lookahead") && at+3 < len(list) {
		width, number, ok := list[at+3].literal()
		if ok && width == 0 && number.IsInt64() && number.Int64() <= 128 {
			value = r.bits(int(number.Int64()))
		}
		at += until(list[at:], "[")
	}
	if at+3 < len(list) && list[at].text == "[" {
		_, from, okFrom := list[at+1].literal()
		_, to, okTo := list[at+3].literal()
		if okFrom && okTo && from.IsInt64() && to.IsInt64() && to.Int64() <= from.Int64() &&
			from.Int64() < 128 {
			low, high = int(to.Int64()), int(from.Int64())
		}
	}
	return value, low, high
}
