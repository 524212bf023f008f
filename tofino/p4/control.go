package p4

import (
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// control reads a control: a deparser, or what runs.
func (r *reader) control() {
	r.want("control")
	r.enter()
	if strings.HasSuffix(r.part, "Deparser") {
		r.deparser()
		return
	}
	applied := false
	r.block(func() {
		r.failIf(applied, "stands behind apply")
		r.annotations()
		switch word := r.peek(); word {
		case "action":
			r.action()
		case "table":
			r.table()
		case "Register":
			r.register()
		case "RegisterAction", "RegisterAction2", "RegisterAction3", "RegisterAction4":
			r.registerAction()
		case "CRCPolynomial":
			r.polynomial()
		case "Hash":
			r.hash()
		case "const":
			r.constantOf()
		case "bit":
			r.variable()
		case "apply":
			r.next()
			r.made.Control[r.gress] = r.steps()
			applied = true
		default:
			r.next()
			r.fail("%q begins no declaration of a control that this reader knows", word)
		}
	})
	r.failIf(!applied, "%s has no apply", r.part)
}

// variable reads a variable of a control, which is metadata: ghost has no other.
func (r *reader) variable() {
	field := &ir.Field{Bits: r.width()}
	field.Name = r.name()
	r.want("=")
	r.failIf(r.number(r.expression()) != 0, "must be 0 to begin with")
	r.want(";")
	r.fields[field.Name] = field
	r.made.Metadata[r.gress] = append(r.made.Metadata[r.gress], field)
}

// polynomial reads the parameters of a CRC.
func (r *reader) polynomial() {
	r.want("CRCPolynomial", "<")
	f := ir.HashFunction{Kind: ir.CRC, Bits: r.width()}
	r.failIf(f.Bits > 32, "a CRC of %d bits: at most 32", f.Bits)
	r.want(">", "(")
	number := func() uint32 {
		value := r.fixed(f.Bits)
		return uint32(value.Lo)
	}
	flag := func() bool {
		r.want(",")
		is := r.take("true")
		if !is {
			r.want("false")
		}
		return is
	}
	f.Polynomial, f.Reflected = number(), flag()
	msb, extended := flag(), flag()
	r.failIf(msb || extended, "msb and extended must be false")
	r.want(",")
	f.Init = number()
	r.want(",")
	f.XorOut = number()
	r.want(")")
	r.polynomials[r.name()] = f
	r.want(";")
}

// hash reads a hash function.
func (r *reader) hash() {
	r.want("Hash", "<")
	bits := r.width()
	r.want(">", "(", "HashAlgorithm_t", ".")
	f := ir.HashFunction{Kind: ir.Identity, Bits: bits}
	switch algorithm := r.name(); algorithm {
	case "CUSTOM":
		r.want(",")
		name, known := r.name(), false
		f, known = r.polynomials[name]
		r.failIf(!known || f.Bits != bits, "%s is no CRCPolynomial of %d bits", name, bits)
	case "XOR16", "XOR32":
		f.Kind = ir.Fold
		r.failIf((algorithm == "XOR16") != (bits == 16), "%s has not %d bits", algorithm, bits)
	case "IDENTITY":
	default:
		r.fail("%s is no algorithm that this reader knows", algorithm)
	}
	r.want(")")
	f.Name = r.name()
	r.want(";")
	r.failIf(r.functions[f.Name] != nil, "%s is declared twice", f.Name)
	r.functions[f.Name] = &f
	r.made.Functions = append(r.made.Functions, &f)
}

// table reads a table.
func (r *reader) table() {
	r.want("table")
	t := &ir.Table{Name: r.name()}
	r.failIf(r.tables[t.Name] != nil, "table %s is declared twice", t.Name)
	r.block(func() {
		switch property := r.name(); property {
		case "key":
			r.want("=")
			r.block(func() { t.Keys = append(t.Keys, r.key()) })
		case "actions":
			r.want("=")
			r.block(func() {
				r.annotations()
				t.Actions = append(t.Actions, r.declared())
				r.want(";")
			})
		case "default_action":
			r.want("=")
			t.Default.Action = r.declared()
			at := 0
			r.list("(", ")", func() {
				r.failIf(at == len(t.Default.Action.Params), "has too many arguments")
				t.Default.Data = append(t.Default.Data, r.fixed(t.Default.Action.Params[at].Bits))
				at++
			})
			r.failIf(at < len(t.Default.Action.Params), "has too few arguments")
			r.want(";")
		case "size":
			r.want("=")
			size := r.number(r.expression())
			r.failIf(size < 1 || size > 1<<24, "table %s: room for %d entries", t.Name, size)
			t.Size = int(size)
			r.want(";")
		default:
			r.fail("%s is no property that this reader knows", property)
		}
	})
	r.failIf(t.Default.Action == nil, "table %s has no default_action", t.Name)
	r.tables[t.Name] = t
	r.made.Tables = append(r.made.Tables, t)
}

// key reads a key of a table, which has a name for the control plane.
func (r *reader) key() ir.Key {
	key := ir.Key{X: r.typed(r.expression())}
	r.want(":")
	switch kind := r.name(); kind {
	case "exact":
	case "ternary":
		key.Kind = ir.Ternary
	case "lpm":
		key.Kind = ir.Prefix
	case "range":
		key.Kind = ir.Range
	default:
		r.fail("%s is no kind of match", kind)
	}
	r.want("@", "name", "(")
	key.Name = strings.Trim(r.next().Text, `"`)
	r.want(")", ";")
	return key
}

// declared returns the action that the next word names.
func (r *reader) declared() *ir.Action {
	name := r.name()
	a := r.actions[name]
	r.failIf(a == nil, "%s is no action that was declared", name)
	return a
}
