// Command outsider runs the trials of the module beside it, which is one of its own so that it can
// use nothing but the public packages:
//
//	go run ./.ci/outsider -seconds 600            as many trials as there is time for
//	go run ./.ci/outsider -seed 7 -only pyrrha    one trial again
package main

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	trials := exec.Command("go", append([]string{"run", "./..."}, os.Args[1:]...)...)
	trials.Dir = ".ci/outsider/trials"
	trials.Stdout, trials.Stderr = os.Stdout, os.Stderr
	if err := trials.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "outsider:", err)
		os.Exit(1)
	}
}
