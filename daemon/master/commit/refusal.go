// SPDX-License-Identifier: Apache-2.0

package commit

import "github.com/contiv/contiv/api/model"

// notLeading returns the error for requests after the end of the term.
func notLeading() *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "this netmaster is no longer the leader").Try("repeat the request; the new leader takes it")
}

// outcomeUnknown returns the error for a request that the store may or may not have applied.
func outcomeUnknown(err error) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "the change may or may not have been stored: %v", err).Because(err).
		Try("repeat the request; it is safe to do so")
}

// notStored returns the error for a request whose transaction the store has certainly not applied.
func notStored(err error) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "the change was not stored: %v", err).Because(err).Try("repeat the request")
}

// tooLarge returns the error for a request that fits into no transaction of the store, however often it is repeated.
func tooLarge(err error) *model.Error {
	return model.Errorf(model.CodeTooLarge, "", "the change was not stored: %v", err).Because(err).Try(smaller)
}

// smaller is the remedy for a request that is too large for the store.
const smaller = "split it into smaller changes, or shorten the texts of its objects; what a store permits: docs/how-to/store-space.md"

// noSpace returns the error for a request that the store, whose quota is used up, has certainly not applied.
func noSpace(err error) *model.Error {
	return model.Errorf(model.CodeNoSpace, "", "the change was not stored: %v", err).Because(err).
		Try(noSpaceRemedy)
}

// noSpaceRemedy is the remedy for an etcd that has used up its quota.
const noSpaceRemedy = "etcdctl compact REVISION, etcdctl defrag --cluster and etcdctl alarm disarm give it space again; docs/how-to/store-space.md"

// notStarted returns the error for a request that was in no transaction when its time was over.
func notStarted(err error) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "the change was not stored, for others were before it until its time was over: %v", err).Because(err).
		Try("repeat the request when the leader has less to do, or give it more time; netctl leader shows how fast the store answers")
}
