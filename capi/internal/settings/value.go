package settings

import (
	"fmt"
	"net"
	"reflect"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// set gives a value, which is no part of a path, what text says: as a parameter of the simulator
// is written where that has the type, so that numbers have units and constants have names.
func set(v reflect.Value, text string) (rule string) {
	switch p := v.Addr().Interface().(type) {
	case *sluice.ClassSet:
		return classes(p, text)
	case *sluice.MAC:
		address, err := net.ParseMAC(text)
		if err != nil || len(address) != len(p) {
			return "must be an address such as 02:00:00:00:00:01"
		}
		copy(p[:], address)
		return ""
	case *sluice.Ratio:
		return params.Set(v, text)
	}
	switch {
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > MaxLength {
			return fmt.Sprintf("must be how many there are, 0 to %d", MaxLength)
		}
		resize(v, n)
		return ""
	case v.Kind() == reflect.Slice:
		items := strings.FieldsFunc(text, func(r rune) bool { return r == '+' })
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i, item := range items {
			if rule := set(v.Index(i), strings.TrimSpace(item)); rule != "" {
				return rule
			}
		}
		return ""
	case v.Kind() == reflect.Struct:
		return "must name one of " + strings.Join(fields(v.Type()), ", ")
	case v.CanUint():
		if n, err := strconv.ParseUint(text, 0, 64); err == nil && !v.OverflowUint(n) {
			v.SetUint(n)
			return ""
		}
	}
	return params.Set(v, text)
}

// classes reads "3+4", "all" or "none".
func classes(set *sluice.ClassSet, text string) (rule string) {
	switch text {
	case "all":
		*set = sluice.AllClasses
		return ""
	case "none":
		*set = sluice.NoClasses
		return ""
	}
	*set = 0
	for _, item := range strings.Split(text, "+") {
		class, err := strconv.ParseUint(item, 10, 8)
		if err != nil || class >= sluice.Classes {
			return "must be classes 0 to 7 with plus signs between, all, or none"
		}
		*set |= sluice.MakeClassSet(sluice.Class(class))
	}
	return ""
}
