// SPDX-License-Identifier: Apache-2.0

package inspect

import "net/http"

// router returns the state of the host's BGP router; without a router the answer is the original's 500.
func (o *Options) router(w http.ResponseWriter, _ *http.Request) {
	s, err := o.Router()
	if err != nil {
		text(w, http.StatusInternalServerError, err.Error()+"\n")
		return
	}
	answer(w, s)
}
