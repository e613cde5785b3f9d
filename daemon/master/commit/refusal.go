package commit

import "github.com/contiv/contiv/api/model"

// notLeading refuses a request because the term is over.
func notLeading() *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "this netmaster is no longer the leader").Try("repeat the request; the new leader takes it")
}

// outcomeUnknown refuses a request that the store may or may not have carried out.
func outcomeUnknown(err error) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "the change may or may not have been stored: %v", err).Because(err).
		Try("repeat the request; it is safe to do so")
}

// notStored refuses a request whose transaction the store has certainly not carried out.
func notStored(err error) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "the change was not stored: %v", err).Because(err).Try("repeat the request")
}

// tooLarge refuses a request that no transaction of the store holds, however often it is repeated.
func tooLarge(err error) *model.Error {
	return model.Errorf(model.CodeTooLarge, "", "the change was not stored: %v", err).Because(err).Try(smaller)
}

// smaller is what a client does about a request that is too large for the store.
const smaller = "split it into smaller changes, or shorten the texts of its objects; what a store permits: docs/operations.md, \"A change that is too large\""

// noSpace refuses a request that the store, which has used up its quota, has certainly not carried out.
func noSpace(err error) *model.Error {
	return model.Errorf(model.CodeNoSpace, "", "the change was not stored: %v", err).Because(err).
		Try(noSpaceRemedy)
}

// noSpaceRemedy is what an operator does about an etcd that has used up its quota.
const noSpaceRemedy = "etcdctl compact REVISION, etcdctl defrag --cluster and etcdctl alarm disarm give it space again; docs/operations.md, \"A store without space\""

// notStarted refuses a request that was in no transaction when its time was over.
func notStarted(err error) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "the change was not stored, for others were before it until its time was over: %v", err).Because(err).
		Try("repeat the request when the leader has less to do, or give it more time; netctl leader tells how fast the store answers")
}
