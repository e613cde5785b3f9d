// SPDX-License-Identifier: Apache-2.0

package term

import (
	"fmt"
	"time"

	"github.com/contiv/contiv/api/model"
)

// PairHeaders are the headers of PairRows.
func PairHeaders() []string {
	return []string{"From", "To", "State", "For", "Round trip", "Ahead", "Reason"}
}

// PairRows returns a row of each netmaster that another one has measured, and of each netmaster that has not reported.
func PairRows(pairs *model.MasterPairs) (out [][]string) {
	for i := range pairs.Rows {
		r := &pairs.Rows[i]
		for _, p := range r.Peers {
			trip, ahead := "?", "?"
			if p.RoundTripMillis > 0 {
				trip = fmt.Sprintf("%.1f ms", p.RoundTripMillis)
			}
			if p.AheadMillis != nil {
				ahead = (time.Duration(*p.AheadMillis) * time.Millisecond).String()
			}
			reason := p.Reason
			if p.Arrives {
				reason = "its packets arrive, but no answer: " + reason
			}
			out = append(out, []string{r.From, p.To, string(p.State), (time.Duration(p.Seconds) * time.Second).String(), trip, ahead, reason})
		}
	}
	for _, address := range pairs.Silent() {
		out = append(out, []string{address, "?", "?", "?", "?", "?", "it has not reported"})
	}
	return out
}
