package main

import "reflect"

type counted struct {
	Switch any
	Ports  []any
}

// countersOf returns what a protocol's switch and its ports count, which is of a type of its own.
func countersOf(s any) (all counted, ok bool) {
	if all.Switch, ok = call(s, "Counters"); !ok {
		return all, false
	}
	port := reflect.ValueOf(s).MethodByName("Port")
	ports, _ := call(s, "Ports")
	n, _ := ports.(int)
	for i := range n {
		id := reflect.ValueOf(i).Convert(port.Type().In(0))
		counters, _ := call(port.Call([]reflect.Value{id})[0].Interface(), "Counters")
		all.Ports = append(all.Ports, counters)
	}
	return all, true
}

// call returns what a method without parameters returns; false if there is none.
func call(of any, name string) (result any, ok bool) {
	method := reflect.ValueOf(of)
	if !method.IsValid() {
		return nil, false
	}
	method = method.MethodByName(name)
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() == 0 {
		return nil, false
	}
	return method.Call(nil)[0].Interface(), true
}
