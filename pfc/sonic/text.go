package sonic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// document is a text of JSON, of which single values can be changed: all that no call changes stays
// to the byte, blanks and the order of keys included.
type document struct {
	before, after string // text around the outermost object
	root          *object
	indent        string // of a level; "": all on one line
	colon         string
}

// object is an object of a document.
type object struct {
	members []*member
	index   map[string]*member // the last of a key, as readers of JSON have it
	twice   []string           // keys that come more than once
	tail    string             // blanks before the closing brace
	depth   int
}

// member is a key with its value, which is an object, or the text of any other value.
type member struct {
	blank  string // text between it and its predecessor, the comma included
	key    string
	raw    string // the key as it is in the text, in its quotes
	colon  string
	object *object
	text   string
}

// deepest are the levels of a document that are objects: ASICs, tables, entries, fields.
const deepest = 4

var errObject = errors.New("must be an object of tables")

func parseDocument(data []byte) (*document, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	start := skip(data, 0, "")
	if start == len(data) || data[start] != '{' {
		if err := json.Unmarshal(data, new(any)); err != nil {
			return nil, err
		}
		return nil, errObject
	}
	root, end, err := parseObject(d, data, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("offset %d: must end after the object of tables", end)
	}
	doc := &document{
		before: string(data[:start]), after: string(data[end:]), root: root,
		indent: "    ", colon: ": ",
	}
	if len(root.members) > 0 {
		first := root.members[0]
		doc.colon = first.colon
		_, doc.indent, _ = strings.Cut(first.blank, "\n")
	}
	return doc, nil
}

// skip returns the first offset from at on that has neither a blank nor one of some more bytes.
func skip(data []byte, at int, more string) int {
	for at < len(data) && strings.IndexByte(" \t\r\n"+more, data[at]) >= 0 {
		at++
	}
	return at
}

// parseObject parses the object that comes next, and returns the offset of its end.
func parseObject(d *json.Decoder, data []byte, depth int) (*object, int, error) {
	o := &object{index: map[string]*member{}, depth: depth}
	if _, err := d.Token(); err != nil {
		return nil, 0, err
	}
	for {
		at := int(d.InputOffset())
		token, err := d.Token()
		end := int(d.InputOffset())
		if err != nil {
			return nil, 0, unexpected(err)
		}
		key, is := token.(string)
		if !is {
			o.tail = string(data[at : end-1])
			return o, end, nil
		}
		m := &member{key: key}
		begins := skip(data, at, ",")
		m.blank, m.raw = string(data[at:begins]), string(data[begins:end])
		value := skip(data, end, ":")
		m.colon = string(data[end:value])
		if value < len(data) && data[value] == '{' && depth+1 < deepest {
			m.object, _, err = parseObject(d, data, depth+1)
		} else {
			var raw json.RawMessage
			err = d.Decode(&raw)
			m.text = string(raw)
		}
		if err != nil {
			return nil, 0, unexpected(err)
		}
		if o.index[key] != nil {
			o.twice = append(o.twice, key)
		}
		o.index[key] = m
		o.members = append(o.members, m)
	}
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (doc *document) append(b []byte) []byte {
	b = append(b, doc.before...)
	b = doc.root.append(b)
	return append(b, doc.after...)
}

func (o *object) append(b []byte) []byte {
	b = append(b, '{')
	for i, m := range o.members {
		blank := m.blank
		switch has := strings.Contains(blank, ","); {
		case i == 0 && has:
			blank = strings.Replace(blank, ",", "", 1)
		case i > 0 && !has:
			blank = "," + blank
		}
		b = append(append(append(b, blank...), m.raw...), m.colon...)
		if m.object != nil {
			b = m.object.append(b)
		} else {
			b = append(b, m.text...)
		}
	}
	return append(append(b, o.tail...), '}')
}

// get returns an object of an object, nil if there is none.
func (o *object) get(key string) *object {
	if o == nil || o.index[key] == nil {
		return nil
	}
	return o.index[key].object
}

// child returns the object of a key, which begins to be.
func (doc *document) child(o *object, key string) *object {
	m := doc.member(o, key)
	if m.object == nil {
		m.object, m.text = &object{index: map[string]*member{}, depth: o.depth + 1}, ""
	}
	return m.object
}

// member returns the member of a key, which begins to be: behind the last one of a lesser key.
func (doc *document) member(o *object, key string) *member {
	if m := o.index[key]; m != nil {
		return m
	}
	raw, _ := json.Marshal(key) // a string has a text
	m := &member{key: key, raw: string(raw), colon: doc.colon}
	if doc.indent != "" {
		m.blank = "\n" + strings.Repeat(doc.indent, o.depth+1)
	}
	at := 0
	for i, other := range o.members {
		if natural(other.key, key) < 0 {
			at = i + 1
		}
	}
	switch {
	case len(o.members) > 0:
		first := o.members[0]
		m.blank, m.colon = strings.Replace(o.members[len(o.members)-1].blank, ",", "", 1), first.colon
	case doc.indent != "":
		o.tail = "\n" + strings.Repeat(doc.indent, o.depth)
	}
	o.members = slices.Insert(o.members, at, m)
	o.index[key] = m
	return m
}

// remove removes every member of a key.
func (o *object) remove(key string) {
	o.members = slices.DeleteFunc(o.members, func(m *member) bool { return m.key == key })
	delete(o.index, key)
}

func (doc *document) clone() *document {
	c := *doc
	c.root = doc.root.clone()
	return &c
}

func (o *object) clone() *object {
	c := &object{
		members: make([]*member, len(o.members)), index: make(map[string]*member, len(o.index)),
		twice: o.twice, tail: o.tail, depth: o.depth,
	}
	for i, m := range o.members {
		own := *m
		if m.object != nil {
			own.object = m.object.clone()
		}
		c.members[i], c.index[m.key] = &own, &own
	}
	return c
}
