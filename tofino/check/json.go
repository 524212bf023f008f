package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
)

// node is a value of a JSON file with its place.
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
		if n.kind == '[' {
			one, err := readNode(d, depth+1)
			if err != nil {
				return nil, err
			}
			n.list = append(n.list, one)
			continue
		}
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		if seen[name] {
			return nil, fmt.Errorf("member %q twice", name)
		}
		seen[name] = true
		one, err := readNode(d, depth+1)
		if err != nil {
			return nil, err
		}
		n.members = append(n.members, member{name, one})
	}
	_, err = d.Token() // the end
	return n, err
}

// get returns a member of an object, nil if it is not there.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for _, one := range n.members {
		if one.name == name {
			return one.value
		}
	}
	return nil
}

// text returns a string, "" if the value is none.
func (n *node) text() string {
	if n == nil {
		return ""
	}
	text, _ := n.value.(string)
	return text
}

// yes returns a boolean, false if the value is none.
func (n *node) yes() bool {
	if n == nil {
		return false
	}
	yes, _ := n.value.(bool)
	return yes
}

// number returns a whole number that is not negative, written as such or, of many bits, as
// hexadecimal text; nil if the value is none.
func (n *node) number() *big.Int {
	if n == nil {
		return nil
	}
	var value *big.Int
	ok := false
	switch text := n.value.(type) {
	case json.Number:
		if len(text) <= longestNumber {
			value, ok = new(big.Int).SetString(string(text), 10)
		}
	case string:
		if strings.HasPrefix(text, "0x") && len(text) <= longestNumber {
			value, ok = new(big.Int).SetString(text[2:], 16)
		}
	}
	if !ok || value.Sign() < 0 {
		return nil
	}
	return value
}

// longestNumber bounds the digits that are looked at: no field has more than 128 bits.
const longestNumber = 64

// whole returns a number, or -1 if the value is none or too large to count with.
func (n *node) whole() int {
	value := n.number()
	if value == nil || value.BitLen() > 31 {
		return -1
	}
	return int(value.Int64())
}
