// Which part of a picture is seen: a rectangle in the picture's own measure, with the shape of the window. Pure.
export interface Camera { x: number; y: number; width: number; height: number }
export interface Size { width: number; height: number }

const MOST_SCALE = 3, LEAST_SCALE = 0.02;  // pixels of the window for one of the picture

const clamped = (scale: number): number => Math.min(MOST_SCALE, Math.max(LEAST_SCALE, scale));

// All of it, in the middle, no larger than it is.
export function fitted(picture: Size, window: Size): Camera {
  const scale = clamped(Math.min(1, window.width / Math.max(1, picture.width), window.height / Math.max(1, picture.height)));
  const [width, height] = [window.width / scale, window.height / scale];
  return {x: (picture.width - width) / 2, y: (picture.height - height) / 2, width, height};
}

// The top of a tall picture at a size that can be read.
export function opening(picture: Size, window: Size): Camera {
  const all = fitted(picture, window);
  const least = 0.45;
  if (window.width / all.width >= least) return all;
  const scale = clamped(Math.max(least, Math.min(1, window.width / Math.max(1, picture.width))));
  const [width, height] = [window.width / scale, window.height / scale];
  return {x: (picture.width - width) / 2, y: 0, width, height};
}

// Closer by `factor`, with the point of the picture that is at (px, py) of the window (0 to 1) staying where it is.
export function zoomed(camera: Camera, window: Size, factor: number, px = 0.5, py = 0.5): Camera {
  const scale = clamped(window.width / camera.width * factor);
  const [width, height] = [window.width / scale, window.height / scale];
  return {x: camera.x + px * (camera.width - width), y: camera.y + py * (camera.height - height), width, height};
}

export const moved = (camera: Camera, dx: number, dy: number): Camera => ({...camera, x: camera.x + dx, y: camera.y + dy});

export function resized(camera: Camera, before: Size, window: Size): Camera {
  const scale = before.width / camera.width;
  return {...camera, width: window.width / scale, height: window.height / scale};
}

// Moves as little as is needed for a box to be seen with some room around it.
export function showing(camera: Camera, box: Camera): Camera {
  const room = Math.min(40, camera.width / 8, camera.height / 8);
  const axis = (at: number, size: number, begin: number, length: number): number => {
    if (length + 2 * room > size) return begin - room;
    if (begin - room < at) return begin - room;
    return begin + length + room > at + size ? begin + length + room - size : at;
  };
  return {...camera, x: axis(camera.x, camera.width, box.x, box.width), y: axis(camera.y, camera.height, box.y, box.height)};
}
