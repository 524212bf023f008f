// Package fit estimates what a program costs on the Tofino 2: SRAM blocks, TCAMs, map RAMs and
// stateful ALUs of each table and register, and how many stages the longest chain of dependent
// tables needs.
//
// The estimate is a lower bound. It knows that all uses of a register are in one stage, and how the
// public compiler sizes tables, not how it places them: crossbars, hash bits and the balance of the
// stages are left out. It gives what that compiler gave for the seven tables whose placement is
// published with open-p4studio, which the tests hold it to.
package fit
