// The tabs of a version that look into it: a part of the bundle of its own, loaded when one is opened.
export {ContentsTab} from './contents';
export {DifferenceTab} from './difference';
export {GraphTab} from './graph';
export {QuantisationTab} from './quantisation';
