// The pages, in the order of the head; each has one row and one file.
import type {ComponentType} from 'preact';
import {AdminPage} from './admin/admin';
import {FleetPage} from './fleet/fleet';
import {HomePage} from './home';
import {ModelsPage} from './models';
import {PackagesPage} from './packages/packages';
import {ReleasesPage} from './releases/releases';
import {StreamsPage} from './streams';
import {TasksPage} from './tasks/tasks';

export interface PageProps { path: string[]; query: URLSearchParams }
export interface Page { route: string; name: string; Show: ComponentType<PageProps> }

export const PAGES: Page[] = [
  {route: 'home', name: 'Home', Show: HomePage},
  {route: 'releases', name: 'Releases', Show: ReleasesPage},
  {route: 'fleet', name: 'Fleet', Show: FleetPage},
  {route: 'packages', name: 'Packages', Show: PackagesPage},
  {route: 'tasks', name: 'Tasks', Show: TasksPage},
  {route: 'streams', name: 'Streams', Show: StreamsPage},
  {route: 'models', name: 'Language models', Show: ModelsPage},
  {route: 'admin', name: 'Administration', Show: AdminPage},
];
