package emit

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// fields is an object whose members keep their order.
type fields []named

type named struct {
	name  string
	value any
}

// line is an element of a list that appends itself as JSON.
type line interface{ append(text []byte) []byte }

// lines writes a list with an element on each line. Lists have tens of thousands of elements of few
// shapes: they are put together here, not by reflection.
func lines[E line](w io.Writer, list []E) error {
	text := []byte("[")
	for at, one := range list {
		if at > 0 {
			text = append(text, ',')
		}
		text = one.append(append(text, '\n'))
	}
	_, err := w.Write(append(text, "\n]\n"...))
	return err
}

// append appends the members in order.
func (f fields) append(text []byte) []byte {
	text = append(text, '{')
	for at, one := range f {
		if at > 0 {
			text = append(text, ',')
		}
		text = append(quoted(text, one.name), ':')
		text = value(text, one.value)
	}
	return append(text, '}')
}

// value appends a value of an entry.
func value(text []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(text, "null"...)
	case string:
		return quoted(text, v)
	case *string:
		if v == nil {
			return append(text, "null"...)
		}
		return quoted(text, *v)
	case bool:
		return strconv.AppendBool(text, v)
	case int:
		return strconv.AppendInt(text, int64(v), 10)
	case uint32:
		return strconv.AppendUint(text, uint64(v), 10)
	case uint64:
		return strconv.AppendUint(text, v, 10)
	case []any:
		return listed(text, v)
	case []int:
		return listed(text, v)
	case []uint64:
		return listed(text, v)
	case fields:
		return v.append(text)
	}
	panic(fmt.Sprintf("emit: no form for a %T", v)) // values come from this package alone
}

// listed appends a list of values.
func listed[V any](text []byte, list []V) []byte {
	text = append(text, '[')
	for at, one := range list {
		if at > 0 {
			text = append(text, ',')
		}
		text = value(text, one)
	}
	return append(text, ']')
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
