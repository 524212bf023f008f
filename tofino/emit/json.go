package emit

import (
	"encoding/json"
	"io"
	"strconv"

	"github.com/sluicefc/sluice/tofino/ir"
)

// lines is a JSON list under construction, with an element on each line. Members have the names of
// keys and data, in their order, and there are tens of thousands of elements: they are appended
// here, where encoding/json would order, box and allocate each.
type lines struct {
	text []byte
	bare bool // elements are as add_from_json reads them
}

// lineOctets is about how long a line is.
const lineOctets = 160

// newLines returns an empty list with room for the elements of a configuration.
func newLines(cfg *ir.Config) *lines {
	count := len(cfg.Fixed) + len(cfg.Registers)
	for _, filled := range cfg.Tables {
		count += len(filled.Entries)
	}
	return &lines{text: make([]byte, 0, (count+8)*lineOctets)}
}

func (l *lines) add(e *entry) {
	separator := ",\n"
	if len(l.text) == 0 {
		separator = "[\n"
	}
	l.text = e.json(append(l.text, separator...), l.bare)
}

func (l *lines) end() []byte {
	if len(l.text) == 0 {
		l.text = append(l.text, '[')
	}
	return append(l.text, "\n]\n"...)
}

func (l *lines) write(w io.Writer) error {
	_, err := w.Write(l.end())
	return err
}

// json appends the element; a bare element has only the members that add_from_json reads.
func (e *entry) json(text []byte, bare bool) []byte {
	text = append(quoted(append(text, `{"table_name":`...), e.table), ',')
	if !bare {
		text = quoted(append(text, `"op":`...), e.op)
		text = strconv.AppendInt(append(text, `,"pipe":`...), int64(e.pipe), 10)
		text = append(text, ',')
	}
	if text = append(text, `"action":`...); e.action == "" {
		text = append(text, "null"...)
	} else {
		text = quoted(text, e.action)
	}
	text = members(append(text, `,"key":`...), e.key)
	text = members(append(text, `,"data":`...), e.data)
	if !bare {
		text = kinds(text, e.key)
	}
	return append(text, '}')
}

// members appends keys or data as an object.
func members(text []byte, list []said) []byte {
	text = append(text, '{')
	for at := range list {
		one := &list[at]
		if at > 0 {
			text = append(text, ',')
		}
		text = append(quoted(text, one.name), ':')
		switch {
		case one.fixed != nil:
			text = fixed(text, one.fixed)
		case one.match == ir.Exact:
			text = number(text, one.value)
		default:
			text = append(number(append(text, '['), one.value), ',')
			text = append(number(text, one.second), ']')
		}
	}
	return append(text, '}')
}

// kinds appends the kinds of match of keys that are not exact, if there are such keys.
func kinds(text []byte, list []said) []byte {
	before := `,"kinds":{`
	for _, one := range list {
		if one.match != ir.Exact {
			text = append(quoted(append(text, before...), one.name), ':')
			text, before = quoted(text, one.match.String()), ","
		}
	}
	if before == "," {
		text = append(text, '}')
	}
	return text
}

// number appends a value as JSON has it: as text, if a double does not hold it.
func number(text []byte, v ir.Value) []byte {
	if v.Hi == 0 && v.Lo < 1<<53 {
		return strconv.AppendUint(text, v.Lo, 10)
	}
	return quoted(text, v.String())
}

// fixed appends a value of a table of the chip.
func fixed(text []byte, value any) []byte {
	switch value := value.(type) {
	case bool:
		return strconv.AppendBool(text, value)
	case uint64:
		return number(text, ir.Uint(value))
	case string:
		return quoted(text, value)
	case []uint64:
		text = append(text, '[')
		for at, one := range value {
			if at > 0 {
				text = append(text, ',')
			}
			text = number(text, ir.Uint(one))
		}
		return append(text, ']')
	}
	panic("emit: a datum of a fixed table has no form") // Validate has refused it
}

// quoted appends a text.
func quoted(text []byte, s string) []byte {
	for at := range len(s) {
		if c := s[at]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			escaped, _ := json.Marshal(s) // of a text, which has a form
			return append(text, escaped...)
		}
	}
	return append(append(append(text, '"'), s...), '"')
}
