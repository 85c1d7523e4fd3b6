// What the operators' interface answers, by the names that pages use; the types are those of its OpenAPI document.
import type {Told} from './calls';
import type {components} from './schema';

type Schemas = components['schemas'];

export type Release = Schemas['Release'];
export type ReleaseState = Schemas['ReleaseState'];
export type Counts = Release['counts'];
export type PlanStage = Schemas['Stage'];
export type Stage = Schemas['StageNow'];
export type ReleaseEvent = Schemas['Event'];
export type Gate = Schemas['Gate'];
export type Member = Schemas['Member'];
// Events tell releases without their members and exclusive files.
export type FullRelease = Omit<Schemas['ReleaseInFull'], 'members' | 'exclusive'> & Partial<Pick<Schemas['ReleaseInFull'], 'members' | 'exclusive'>>;
export type Device = Schemas['Device'];
export type Report = Schemas['Report'];
export type FullDevice = Schemas['DeviceInFull'];
export type Package = Schemas['Package'];
export type FullPackage = Told<'/packages/{name}/{version}'>;
export type Preview = Told<'/releases/preview', 'post'>;
export type Status = Told<'/status'>;
export type Approval = Schemas['Approval'];
export type Campaign = Schemas['Campaign'];
export type CampaignRelease = Schemas['CampaignRelease'];
export type FullCampaign = Schemas['CampaignInFull'];
