package inspect

import "net/http"

// router shows the host's BGP router; without one the answer is the original's 500.
func (o *Options) router(w http.ResponseWriter, _ *http.Request) {
	s, err := o.Router()
	if err != nil {
		text(w, http.StatusInternalServerError, err.Error()+"\n")
		return
	}
	answer(w, s)
}
