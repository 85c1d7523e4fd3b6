// The pages that nobody opens first, in one file of the bundle: it comes when one of them is opened, or when the first page stands.
export {AdminPage} from './admin/admin';
export {DevicePage} from './fleet/device';
export {ModelsPage} from './models';
export {PackagesPage} from './packages/packages';
export {CampaignList, CampaignPage} from './releases/campaigns';
export {NewRelease} from './releases/form';
export {StreamsPage} from './streams/streams';
export {TasksPage} from './tasks/tasks';
