// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube"
)

// Limits of a Scraper.
const (
	scraperTime = time.Minute // for which an answer of the API server counts
	maxScrapers = 64          // tokens whose answers are kept
	maxReviews  = 4           // at the same time
)

// Scraper authenticates requests for metrics by tokens of service accounts of Kubernetes, such as that of Prometheus. The API server decides
// whose a token is, and RBAC what its subject may get. Its methods are safe for concurrent use.
type Scraper struct {
	api     kube.Config
	now     func() time.Time
	reviews chan struct{} // holds one token for each review that runs

	mu    sync.Mutex
	known map[[sha256.Size]byte]scraped // by the hash of the token and the path
}

// scraped is an answer of the API server.
type scraped struct {
	user string
	at   time.Time
}

// Scraper returns a Scraper of the API server of the settings, or nil if they name none.
func (s *Settings) Scraper(now func() time.Time) *Scraper {
	if !s.API.Wanted() {
		return nil
	}
	return &Scraper{api: s.API, now: now, reviews: make(chan struct{}, maxReviews), known: map[[sha256.Size]byte]scraped{}}
}

// User returns the user that a token belongs to, if the user may get a path. An answer of the API server counts for a minute. It blocks for
// the answer. Errors are *model.Error.
func (s *Scraper) User(ctx context.Context, token, path string) (string, error) {
	key := sha256.Sum256([]byte(path + "\x00" + token))
	s.mu.Lock()
	was, ok := s.known[key]
	s.mu.Unlock()
	if ok && s.now().Sub(was.at) < scraperTime {
		return was.user, nil
	}
	select {
	case s.reviews <- struct{}{}:
	default:
		return "", model.Errorf(model.CodeBusy, "", "Kubernetes reviews %d tokens for this netmaster now", maxReviews).Try("repeat it a moment later")
	}
	at := s.now()
	user, err := s.api.MayGet(ctx, token, path)
	<-s.reviews
	switch {
	case errors.Is(err, kube.ErrUnproved):
		return "", model.Errorf(model.CodeUnproved, "", "%v", err).Because(err).Try("send a token of a service account that the API server accepts")
	case errors.Is(err, kube.ErrNotPermitted):
		return "", model.Errorf(model.CodeDenied, "", "%v", err).Because(err).Try("bind the ClusterRole contiv-metrics to that account")
	case err != nil:
		return "", model.Errorf(model.CodeUnavailable, "", "%v", err).Because(err).
			Try("netctl node ls shows whether the API server answers; netmaster's account needs create of tokenreviews and subjectaccessreviews")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, v := range s.known {
		if at.Sub(v.at) >= scraperTime {
			delete(s.known, k)
		}
	}
	if len(s.known) < maxScrapers {
		s.known[key] = scraped{user, at}
	}
	return user, nil
}
