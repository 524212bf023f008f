package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
)

// node is a value of a JSON file with its place. Its methods take nil for a missing value.
type node struct {
	offset  int64
	value   any // nil, bool, string or json.Number
	list    []*node
	members []member // of an object, in order
	kind    byte     // '[', '{' or 0
}

// member is a member of an object.
type member struct {
	name  string
	value *node
}

// deepest is how far values may be nested.
const deepest = 32

// readJSON reads a file that is one value.
func readJSON(text []byte) (*node, error) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	n, err := readNode(d, 0)
	if err != nil {
		return nil, fmt.Errorf("octet %d: %w", d.InputOffset(), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("octet %d: something follows the value", d.InputOffset())
	}
	return n, nil
}

func readNode(d *json.Decoder, depth int) (*node, error) {
	if depth > deepest {
		return nil, fmt.Errorf("nested more than %d deep", deepest)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &node{offset: d.InputOffset()}
	delimiter, compound := token.(json.Delim)
	if !compound {
		n.value = token
		return n, nil
	}
	n.kind = byte(delimiter)
	seen := map[string]bool{}
	for d.More() {
		name := ""
		if n.kind == '{' {
			if token, err = d.Token(); err != nil {
				return nil, err
			}
			if name, _ = token.(string); seen[name] {
				return nil, fmt.Errorf("member %q twice", name)
			}
			seen[name] = true
		}
		one, err := readNode(d, depth+1)
		if err != nil {
			return nil, err
		}
		if n.kind == '{' {
			n.members = append(n.members, member{name, one})
		} else {
			n.list = append(n.list, one)
		}
	}
	_, err = d.Token() // the end
	return n, err
}

// named returns a member by its name, nil if there is none.
func named(members []member, name string) *node {
	for _, one := range members {
		if one.name == name {
			return one.value
		}
	}
	return nil
}

func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	return named(n.members, name)
}

func (n *node) elements() []*node {
	if n == nil {
		return nil
	}
	return n.list
}

// as returns a value of a type, that type's zero if the value is of another.
func as[T any](n *node) (value T) {
	if n != nil {
		value, _ = n.value.(T)
	}
	return value
}

func (n *node) text() string { return as[string](n) }
func (n *node) yes() bool    { return as[bool](n) }

// longestNumber bounds the digits that are looked at: no field has more than 128 bits.
const longestNumber = 64

// number returns a whole number that is not negative, written as a number or, of many bits, as
// hexadecimal text; nil if the value is no such number.
func (n *node) number() *big.Int {
	text, base := string(as[json.Number](n))+n.text(), 10 // one of the two is empty
	if len(text) > longestNumber {
		return nil
	}
	if n.text() != "" {
		if !strings.HasPrefix(text, "0x") {
			return nil
		}
		text, base = text[2:], 16
	}
	value, ok := new(big.Int).SetString(text, base)
	if !ok || value.Sign() < 0 {
		return nil
	}
	return value
}

// id returns the number of an object of a schema, 32 bits; 0 if the value is none.
func (n *node) id() uint64 {
	value := n.number()
	if value == nil || value.Sign() < 0 || value.BitLen() > 32 {
		return 0
	}
	return value.Uint64()
}

// whole returns a number, or -1 if the value is no number or too large to count with.
func (n *node) whole() int {
	value := n.number()
	if value == nil || value.BitLen() > 31 {
		return -1
	}
	return int(value.Int64())
}
