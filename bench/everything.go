package main

// everything is what "list" names, in its order.
var everything = joined(
	generalLibrary, pyrrhaLibrary, bfcLibrary, ofcLibrary, tcdLibrary, pcnLibrary, portfcLibrary,
)
