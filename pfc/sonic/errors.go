package sonic

import (
	"fmt"
	"strconv"
	"strings"
)

// Error says which field of which table breaks a rule.
type Error struct {
	Table, Key, Field string // "BUFFER_PROFILE", "pg_lossless_100000_5m_profile", "xoff"; may be empty
	Value             string
	Rule              string // "must be a number of bytes"
}

// Error formats the error, and escapes characters that do not print:
//
//	sonic: BUFFER_PROFILE|name xoff = "x": must be a number of bytes
func (e *Error) Error() string {
	place := where(e.Table, e.Key, e.Field)
	if place != "" {
		place += " = "
	}
	return "sonic: " + place + "\"" + Printable(e.Value) + "\": " + Printable(e.Rule)
}

// Note names a setting of a configuration that is not carried over, or is wrong, and the reason.
type Note struct {
	Table, Key, Field string
	Why               string
	// Others are the keys of which the same is to be said, or the fields of the same key.
	Others []string
}

// String formats as "BUFFER_QUEUE|Ethernet0|3-4 profile: why", with the number of Others.
// Characters that do not print are escaped.
func (n Note) String() string {
	more := ""
	if len(n.Others) > 0 {
		last := n.Others[len(n.Others)-1]
		more = fmt.Sprintf(" and %d more, up to %s", len(n.Others), Printable(last))
	}
	return where(n.Table, n.Key, n.Field) + more + ": " + Printable(n.Why)
}

func where(table, key, field string) string {
	if key != "" {
		table += "|" + key
	}
	if field != "" {
		table += " " + field
	}
	return Printable(table)
}

// utf8Invalid is the rune that a range over a string yields for bytes that are no text.
const utf8Invalid = 0xfffd

// Printable returns a name with all characters escaped that do not print, so that a terminal, or a
// line of a log, shows the bytes that are there.
func Printable(name string) string {
	if strings.IndexFunc(name, func(r rune) bool {
		return !strconv.IsPrint(r) || r == utf8Invalid
	}) < 0 {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if strconv.IsPrint(r) && r != utf8Invalid {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// grouped returns notes of which those that say the same of several keys of a table, or of several
// fields of a key, are one.
func grouped(notes []Note) []Note {
	notes = groupedBy(notes, func(n *Note) (Note, string) {
		return Note{Table: n.Table, Field: n.Field, Why: n.Why}, n.Key
	})
	notes = groupedBy(notes, func(n *Note) (Note, string) {
		return Note{Table: n.Table, Key: n.Key, Why: n.Why}, n.Field
	})
	return groupedBy(notes, func(n *Note) (Note, string) {
		if n.Key != "" || n.Field != "" {
			return *n, ""
		}
		return Note{Why: n.Why}, n.Table // a field of pfc
	})
}

func groupedBy(notes []Note, split func(*Note) (Note, string)) (all []Note) {
	type of struct{ table, key, field, why string }
	first := map[of]int{}
	for _, n := range notes {
		same, name := split(&n)
		key := of{same.Table, same.Key, same.Field, same.Why}
		at, is := first[key]
		switch {
		case is && name != "" && len(n.Others) == 0:
			all[at].Others = append(all[at].Others, name)
			continue
		case !is && name != "" && len(n.Others) == 0:
			first[key] = len(all)
		}
		all = append(all, n)
	}
	return all
}
