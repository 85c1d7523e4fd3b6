// The pages, in the order of the head; each has one row and one file.
import type {ComponentType} from 'preact';
import {FleetPage} from './fleet/fleet';
import {HomePage} from './home';
import {later} from './later';
import {ReleasesPage} from './releases/releases';

export interface PageProps { path: string[]; query: URLSearchParams }
export interface Page { route: string; name: string; Show: ComponentType<PageProps> }

export const PAGES: Page[] = [
  {route: 'home', name: 'Home', Show: HomePage},
  {route: 'releases', name: 'Releases', Show: ReleasesPage},
  {route: 'fleet', name: 'Fleet', Show: FleetPage},
  {route: 'packages', name: 'Packages', Show: later('PackagesPage')},
  {route: 'tasks', name: 'Tasks', Show: later('TasksPage')},
  {route: 'streams', name: 'Streams', Show: later('StreamsPage')},
  {route: 'models', name: 'Language models', Show: later('ModelsPage')},
  {route: 'admin', name: 'Administration', Show: later('AdminPage')},
];
