// SPDX-License-Identifier: Apache-2.0

//go:build consul

package scenario

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/contiv/contiv/lab"
)

// TestScenariosOnConsul runs what depends most on the store with the Consul server that make test-consul has built.
func TestScenariosOnConsul(t *testing.T) {
	folder, err := filepath.Abs("../../.cache")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	runOn(t, lab.StoreConsul, withConsul)
}
