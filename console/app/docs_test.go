package app

import (
	"os"
	"strings"
	"testing"

	"github.com/contiv/contiv/console/theme"
)

// The key table of the documentation is that of the program.
func TestDocumentedKeys(t *testing.T) {
	text, err := os.ReadFile("../../docs/console.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, keys := range [][]theme.Key{theme.GlobalKeys(), theme.ReplayKeys(), theme.WhyKeys(), theme.LeaderKeys(), theme.HandoverKeys(), theme.TableKeys(), theme.FlowKeys(), theme.TreeKeys(), theme.MatrixKeys(), theme.ConfirmKeys(), theme.AddressKeys(), theme.EventKeys(), theme.TextKeys()} {
		for _, k := range keys {
			if row := "| `" + k.Keys + "` | " + k.Does + " |"; !strings.Contains(string(text), row) {
				t.Errorf("docs/console.md lacks the row %s", row)
			}
		}
	}
}
