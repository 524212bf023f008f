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

// set gives a value, which is no part of a path, what text says. Numbers have units as parameters
// of the simulator do; constants of a type that has names are written by name or number.
func set(v reflect.Value, text string) (rule string) {
	switch p := v.Addr().Interface().(type) {
	case *sluice.Bytes:
		return number(params.Bytes, text, v)
	case *sluice.Time:
		return number(params.Time, text, v)
	case *sluice.Rate:
		return number(params.Rate, text, v)
	case *sluice.Ratio:
		num, den, err := params.ParseNumber(params.Rational, text)
		if err != nil {
			return err.Error()
		}
		*p = sluice.Ratio{Num: num, Den: den}
		return ""
	case *sluice.ClassSet:
		return classes(p, text)
	case *[6]byte:
		address, err := net.ParseMAC(text)
		if err != nil || len(address) != len(p) {
			return "must be an address such as 02:00:00:00:00:01"
		}
		copy(p[:], address)
		return ""
	}
	return setKind(v, text)
}

// setKind sets a value by what kind of type it is.
func setKind(v reflect.Value, text string) (rule string) {
	switch {
	case v.Kind() == reflect.Bool:
		switch text {
		case "true", "on", "yes", "1":
			v.SetBool(true)
		case "false", "off", "no", "0":
			v.SetBool(false)
		default:
			return "must be true or false"
		}
	case v.CanInt():
		return number(params.Int, text, v)
	case v.CanUint():
		return unsigned(v, text)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > MaxLength {
			return fmt.Sprintf("must be how many there are, 0 to %d", MaxLength)
		}
		resize(v, n)
	case v.Kind() == reflect.Slice:
		items := strings.FieldsFunc(text, func(r rune) bool { return r == '+' })
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i, item := range items {
			if rule := set(v.Index(i), strings.TrimSpace(item)); rule != "" {
				return rule
			}
		}
	case v.Kind() == reflect.Struct:
		return "must name one of " + strings.Join(fields(v.Type()), ", ")
	default:
		return "cannot be set from text"
	}
	return ""
}

func number(k params.Kind, text string, v reflect.Value) (rule string) {
	n, _, err := params.ParseNumber(k, text)
	switch {
	case err != nil:
		return err.Error()
	case v.OverflowInt(n):
		return "is out of range"
	}
	v.SetInt(n)
	return ""
}

// unsigned sets a number that is not negative, or a constant by its name.
func unsigned(v reflect.Value, text string) (rule string) {
	n, err := strconv.ParseUint(text, 0, 64)
	if err == nil && !v.OverflowUint(n) {
		v.SetUint(n)
		return ""
	}
	if _, named := v.Interface().(fmt.Stringer); !named || v.Kind() != reflect.Uint8 {
		return "must be a number that is not negative and fits in " + v.Kind().String()
	}
	var names []string
	for n := range uint64(256) {
		v.SetUint(n)
		name := v.Interface().(fmt.Stringer).String()
		if strings.EqualFold(name, text) {
			return ""
		}
		if strings.HasSuffix(name, ")") { // behind the last constant: "Mode(2)"
			break
		}
		names = append(names, name)
	}
	v.SetUint(0)
	return "must be a number or one of: " + strings.Join(names, "; ")
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
