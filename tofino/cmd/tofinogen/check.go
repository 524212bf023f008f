package main

// check checks the files of a directory.
func (c command) check(o *options) error {
	return usagef("-check is not there yet")
}
